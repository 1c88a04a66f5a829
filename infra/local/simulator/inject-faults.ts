import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Fault, ServiceBehaviour } from './behaviour.ts';
import { Random } from './world/random.ts';

export interface FaultsOptions {
  readonly seed: number;
  readonly behaviour: Pick<ServiceBehaviour, 'faults'>;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  /** Called for each request before its faults. */
  readonly onRequest?: () => void;
}

/** Applies all faults that match a request, in their order. */
export function injectFaults(
  options: FaultsOptions,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  const { behaviour, signal, onRequest } = options;
  const random = new Random(options.seed, 'faults');

  return async (context, next) => {
    onRequest?.();
    const hits = takeHits(behaviour.faults, context.req, random);
    for (const fault of hits) {
      if (fault.kind === 'slow') await sleep(fault.delayMs, undefined, { signal });
      if (fault.kind === 'disconnect') {
        context.env.incoming.socket.destroy();
        return context.body(null);
      }
      if (fault.kind === 'status') {
        if (fault.retryAfter !== undefined) context.header('Retry-After', String(fault.retryAfter));
        const message = `simulated fault: status ${fault.status}`;
        return context.json({ error: 'simulated', message }, fault.status as ContentfulStatusCode);
      }
    }
    await next();
    for (const fault of hits) {
      const spoiled = await spoil(context.res, fault);
      // Setting `res` once would merge the old answer's headers into the new one.
      context.res = undefined;
      context.res = spoiled;
    }
    return undefined;
  };
}

/** Returns the faults that hit a request. Removes a fault that has used up `next`. */
function takeHits(
  faults: Fault[],
  request: { readonly method: string; readonly path: string },
  random: Random,
): Fault[] {
  const hits = faults.filter(
    (fault) =>
      matches(fault, request) &&
      (fault.probability === undefined || random.chance(fault.probability)),
  );
  for (const fault of hits) {
    if (fault.next === undefined) continue;
    fault.next -= 1;
    if (fault.next === 0) faults.splice(faults.indexOf(fault), 1);
  }
  return hits;
}

function matches(
  { method, path }: Fault,
  request: { readonly method: string; readonly path: string },
): boolean {
  if (method !== undefined && method !== request.method) return false;
  if (path === undefined) return true;
  const pattern = path.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${pattern}$`).test(request.path);
}

async function spoil(response: Response, fault: Fault): Promise<Response> {
  const headers = new Headers(response.headers);
  const { status } = response;
  switch (fault.kind) {
    case 'cut_body': {
      const text = await response.text();
      return new Response(text.slice(0, Math.floor(text.length / 2)), { status, headers });
    }
    case 'wrap_body':
      return new Response(`{"data":${await response.text()}}`, { status, headers });
    case 'empty_list': {
      // Only a list has the header.
      if (!headers.has('X-Has-More')) return response;
      headers.delete('X-Last-Synced-At');
      headers.set('X-Count', '0');
      headers.set('X-Has-More', 'false');
      return new Response('[]', { status, headers });
    }
    case 'invalid_entity': {
      if (!headers.has('X-Has-More')) return response;
      const entities = (await response.json()) as object[];
      const spoiled = entities.map((entity, index) =>
        index === entities.length - 1 ? { ...entity, deleted_at: 'never' } : entity,
      );
      return new Response(JSON.stringify(spoiled), { status, headers });
    }
    case 'header':
      if (fault.value === null) headers.delete(fault.name);
      else headers.set(fault.name, fault.value);
      return new Response(response.body, { status, headers });
    default:
      return response;
  }
}
