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

/** The page alone asks for them: the server's guard refuses all other pages. */
function addActions(app: Hono, session: ConsoleSession): void {
  app.get('/api/projects', (context) =>
    context.json(readSite(session.simulator, context.req.query('project'))),
  );
  app.post('/api/change', async (context) =>
    context.json(changeSite(session.simulator, await context.req.json<Requests['change']>())),
  );
  app.post('/api/activity', async (context) => {
    session.setActivity(await context.req.json<Requests['activity']>());
    return context.json({});
  });
  app.post('/api/fault', async (context) =>
    context.json({ ids: session.setFault(await context.req.json<Requests['fault']>()) }),
  );
  app.post('/api/kill', async (context) => {
    await session.kill();
    return context.json({});
  });
  app.post('/api/control', async (context) =>
    context.json(await session.control(await context.req.json())),
  );
}
