import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Requests } from '../protocol.ts';
import type { ConsoleSession } from '../session/console-session.ts';
import { changeSite, readSite } from '../session/site.ts';
import type { PageFiles } from './bundle-page.ts';
import { streamToTab } from './tab-stream.ts';

/** The page loads nothing from elsewhere, and no site embeds it. */
const SECURITY = {
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ['data:'],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/** Makes the console's server: its page, one stream to each tab, and actions. */
export function makeConsoleApp(session: ConsoleSession, files: Promise<PageFiles>): Hono {
  const app = new Hono();
  app.use(secureHeaders(SECURITY));
  app.onError(({ message }, context) => context.json({ error: { message } }, 422));
  for (const path of ['/', '/main.js', '/page.css'] as const) {
    app.get(path, async (context) => {
      const { type, text } = (await files)[path];
      return context.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'no-store' });
    });
  }
  app.get('/api/stream', (context) => streamToTab(context, session));
  addActions(app, session);
  return app;
}

/** What `POST /api/<name>` does. The page alone asks: the server's guard refuses all others. */
const ACTIONS: {
  readonly [N in keyof Requests]: (session: ConsoleSession, request: Requests[N]) => unknown;
} = {
  change: (session, request) => changeSite(session.simulator, request),
  activity: (session, request) => {
    session.setActivity(request);
  },
  fault: (session, request) => ({ ids: session.setFault(request) }),
  kill: (session) => session.kill(),
  control: (session, request) => session.control(request),
};

function addActions(app: Hono, session: ConsoleSession): void {
  app.get('/api/projects', (context) =>
    context.json(readSite(session.simulator, context.req.query('project'))),
  );
  for (const [name, act] of Object.entries(ACTIONS)) {
    app.post(`/api/${name}`, async (context) =>
      context.json((await act(session, await context.req.json<never>())) ?? {}),
    );
  }
}
