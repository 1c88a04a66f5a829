import type { HttpBindings } from '@hono/node-server';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { adminRoutes, type AdminContext } from './admin/admin.ts';
import type { ApiContext } from './api/api-context.ts';
import { answerError, answerUnknown, ApiError } from './api/api-error.ts';
import { authRoutes, requireAccessToken } from './api/auth.ts';
import { floorplanRoutes } from './api/routes/floorplans.ts';
import { projectRoutes } from './api/routes/projects.ts';
import { taskRoutes } from './api/routes/tasks.ts';
import { templateChecklistRoutes } from './api/routes/template-checklists.ts';
import { readVersion } from './api/versions.ts';
import { injectFaults } from './inject-faults.ts';

export interface AppOptions extends AdminContext {
  readonly seed: number;
  /** Aborted when the service stops. */
  readonly signal: AbortSignal;
  /** Called for each request to the API and the token endpoint. */
  readonly onRequest?: () => void;
}

/** Paths of the API, the token endpoint and the admin endpoints. */
export const PATHS = { api: '/api/v3', auth: '/auth', admin: '/admin' } as const;

const BODY_BYTES_MAXIMUM = 1_000_000;

/** Makes the whole service without an HTTP server. */
export function makeApp(options: AppOptions): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError(answerError);
  app.notFound(answerUnknown);
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAXIMUM, onError: refuseBody }));

  const simulated = [PATHS.api, PATHS.auth].map((path) => `${path}/*`);
  app.on('ALL', simulated, setDate(options), injectFaults(options));

  app.route(PATHS.auth, authRoutes(options.tokens));
  app.use(`${PATHS.api}/*`, requireAccessToken(options.tokens), async (context, next) => {
    readVersion(context, options.behaviour);
    await next();
  });
  const lists = [projectRoutes, floorplanRoutes, templateChecklistRoutes];
  for (const routes of options.additional ? [...lists, taskRoutes] : lists) {
    app.route(`${PATHS.api}/projects`, routes(options));
  }
  app.route(PATHS.admin, adminRoutes(options));
  // Hono tells the two apart.
  app.get(`${PATHS.admin}/`, () => app.request(PATHS.admin));
  return app;
}

/** Sets `Date` to the time of the simulation's clock. */
function setDate({ world }: ApiContext): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (context, next) => {
    context.env.outgoing.sendDate = false;
    context.header('Date', new Date(world.now()).toUTCString());
    await next();
  };
}

/** Closes the connection, because the rest of the body is not read. */
function refuseBody(context: Context): Response {
  context.header('Connection', 'close');
  throw new ApiError(413, 'too_large', `a body may have at most ${BODY_BYTES_MAXIMUM} bytes`);
}
