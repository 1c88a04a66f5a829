import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Behaviour, Fault } from './behaviour.ts';
import { ServiceError } from './service-error.ts';

/** Applies all faults that match a request, in their order. */
export function injectFaults(
  behaviour: Pick<Behaviour, 'faults'>,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    const hits = takeHits(behaviour.faults, context.req.path);
    const { signal } = context.req.raw;
    for (const fault of hits) {
      if (fault.kind === 'slow') await sleep(fault.delayMs, undefined, { signal });
      if (fault.kind === 'disconnect') {
        context.env.incoming.socket.destroy();
        return context.body(null);
      }
      if (fault.kind === 'status') {
        if (fault.retryAfter !== undefined) context.header('Retry-After', String(fault.retryAfter));
        const status = fault.status as ContentfulStatusCode;
        throw new ServiceError(status, `simulated fault: status ${status}`);
      }
    }
    await next();
    for (const { kind } of hits) await spoil(context, kind);
    return undefined;
  };
}

async function spoil(context: Context, kind: Fault['kind']): Promise<void> {
  if (kind === 'cut_body') await replaceBody(context, (text) => text.slice(0, text.length / 2));
  // Only a list has the header.
  if (kind === 'empty_list' && context.res.headers.has('X-Has-More')) {
    await replaceBody(context, () => '[]');
    context.res.headers.delete('X-Last-Synced-At');
    context.res.headers.set('X-Count', '0');
    context.res.headers.set('X-Has-More', 'false');
  }
}

async function replaceBody(context: Context, change: (text: string) => string): Promise<void> {
  const { status, headers } = context.res;
  const changed = new Response(change(await context.res.text()), { status, headers });
  // Setting `res` once would merge the old answer's headers into the new one.
  context.res = undefined;
  context.res = changed;
}

/** Returns the faults that hit a request. Removes a fault that has used up `next`. */
function takeHits(faults: Fault[], path: string): Fault[] {
  const hits = faults.filter((fault) => path.startsWith(fault.path ?? ''));
  for (const fault of hits) {
    if (fault.next === undefined) continue;
    fault.next -= 1;
    if (fault.next === 0) faults.splice(faults.indexOf(fault), 1);
  }
  return hits;
}
