import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { z } from 'zod';
import { describeProblems } from '../../../../functions/settings/describe-problems.ts';
import type { ConsoleSession } from '../session/console-session.ts';
import { ChangeRefusedError } from '../session/service-site.ts';
import { streamToTab } from '../session/tab-stream.ts';
import type { PageFiles } from './bundle-page.ts';
import { activityRequest, changeRequest, faultRequest } from './requests.ts';

export interface ConsoleAppOptions {
  readonly session: ConsoleSession;
  readonly files: () => Promise<PageFiles>;
}

const SCHEMAS = join(import.meta.dirname, '../../../../docs/events/schemas');
const SCHEMA_NAME = /^(data\/)?[a-z_]+(-check)?(\.[a-z]+)?\.json$/;
const MAX_BODY_BYTES = 100_000;
/** Headers of every answer. The page loads nothing from elsewhere, and no site embeds it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
    ...["img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** Makes the console's server: its page, one stream to each tab, and actions. */
export function makeConsoleApp({ session, files }: ConsoleAppOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (context) => refuse(context, `A body may have at most ${MAX_BODY_BYTES} bytes`),
    }),
  );
  app.onError((error, context) => refuse(context, error.message));
  app.notFound((context) => refuse(context, `There is no ${context.req.path}`, 404));

  for (const path of ['/', '/main.js', '/page.css']) {
    app.get(path, async (context) => {
      const file = (await files()).get(path);
      return context.body(file?.text ?? '', 200, { 'Content-Type': file?.type ?? 'text/plain' });
    });
  }
  app.get('/schemas/:name{.+}', async (context) => {
    const name = context.req.param('name');
    const text = SCHEMA_NAME.test(name)
      ? await readFile(join(SCHEMAS, name), 'utf8').catch(() => undefined)
      : undefined;
    if (text === undefined) return refuse(context, `There is no schema ${name}`, 404);
    return context.body(text, 200, { 'Content-Type': 'application/schema+json' });
  });
  app.get('/api/stream', (context) => streamToTab(context, session));
  addActions(app, session);
  return app;
}

function addActions(app: Hono, session: ConsoleSession): void {
  app.get('/api/projects', (context) => context.json(session.site.readProjects()));
  app.get('/api/projects/:id', (context) =>
    context.json(session.site.readProject(context.req.param('id'))),
  );
  app.post('/api/change', async (context) => {
    const request = await readBody(context, changeRequest);
    return context.json({ ids: [session.site.change(request)] });
  });
  app.post('/api/activity', async (context) => {
    session.setActivity(await readBody(context, activityRequest));
    return context.json({});
  });
  app.post('/api/fault', async (context) => {
    const request = await readBody(context, faultRequest);
    return context.json({ ids: session.setFault(request) });
  });
  app.post('/api/kill', async (context) => {
    await session.monitor.kill();
    return context.json({});
  });
  // The control function checks what it is asked.
  app.post('/api/control', async (context) => {
    const answer = await session.control(await readJson(context));
    return context.json(answer, 'error' in answer ? 422 : 200);
  });
}

function refuse(context: Context, message: string, status: 404 | 422 = 422): Response {
  return context.json({ error: { message } }, status);
}

async function readBody<T>(context: Context, schema: z.ZodType<T>): Promise<T> {
  const body = await readJson(context);
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new ChangeRefusedError(`The request is invalid:\n${describeProblems(result.error, body)}`);
}

async function readJson(context: Context): Promise<unknown> {
  try {
    return (await context.req.json()) ?? {};
  } catch {
    throw new ChangeRefusedError('The request is no JSON');
  }
}
