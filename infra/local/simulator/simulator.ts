import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { serveApp } from '../embedded/http-server.ts';
import { Activity } from './activity.ts';
import { adminRoutes, type ChangeMaker } from './admin.ts';
import { authRoutes, requireAccessToken, Tokens } from './api/auth.ts';
import { answerError } from './api/requests.ts';
import { apiRoutes, type ApiContext } from './api/routes.ts';
import { readVersion } from './api/shapes.ts';
import { defaultBehaviour, type Behaviour } from './behaviour.ts';
import { makeChange } from './changes.ts';
import { injectFaults } from './inject-faults.ts';
import { ServiceError } from './service-error.ts';
import { Random } from './world/random.ts';
import { seedWorld, type WorldSize } from './world/seed.ts';
import { World } from './world/world.ts';

export interface SimulatorOptions {
  /** Preferred port on 127.0.0.1. Default: any free port. */
  readonly port?: number;
  /** Seed of the initial world, the activity and all randomness. Default 1. */
  readonly seed?: number;
  readonly size?: WorldSize;
  /** The service's clock, milliseconds since 1970. Default: the machine's. */
  readonly now?: () => number;
  /** Changes per second from the start on; absent or false: none until the activity is started. */
  readonly activity?: number | false;
  readonly behaviour?: Partial<Behaviour>;
}

/** The simulated Construction Project Service API v3, answering over HTTP. */
export type Simulator = Awaited<ReturnType<typeof startSimulator>>;

export async function startSimulator(options: SimulatorOptions = {}) {
  const { port = 0, seed = 1, now = Date.now } = options;
  const behaviour = { ...defaultBehaviour(), ...options.behaviour };
  const world = new World({ seed, now, behaviour });
  seedWorld(world, seed, options.size);
  const random = new Random(seed, 'changes');
  const tokens = new Tokens(now);
  const change: ChangeMaker = (name, wish) => makeChange(name, world, random, wish);
  const activity = new Activity(world, seed);
  const context: ServiceContext = { world, behaviour, tokens, change };
  const requestListeners = new Set<() => void>();
  const app = makeApp(context, requestListeners);
  const listening = await serveApp(app, port);
  const { url } = listening;
  if (options.activity) activity.start(options.activity);
  return {
    ...context,
    activity,
    /** The spec's `{base_url}`: lists are below `<baseUrl>/api/v3`. */
    baseUrl: url,
    /** The spec's `{auth_url}`: tokens are at `<authUrl>/api_keys/jwt`. */
    authUrl: `${url}/auth`,
    adminUrl: `${url}/admin`,
    get refreshToken() {
      return tokens.refreshToken;
    },
    /** Called for each request to the API and the token endpoint. */
    requestListeners,
    close: async () => {
      activity.stop();
      await listening.close();
    },
  };
}

interface ServiceContext extends ApiContext {
  readonly tokens: Tokens;
  readonly change: ChangeMaker;
}

function makeApp(
  { world, behaviour, tokens, change }: ServiceContext,
  requestListeners: ReadonlySet<() => void>,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError(answerError);
  app.notFound(({ req }) => {
    throw new ServiceError(404, `there is no ${req.method} ${req.path}`);
  });
  app.on('ALL', ['/api/v3/*', '/auth/*'], async (request, next) => {
    for (const listener of requestListeners) listener();
    // The time of the simulation's clock.
    request.env.outgoing.sendDate = false;
    request.header('Date', new Date(world.now()).toUTCString());
    await next();
  });
  app.on('ALL', ['/api/v3/*', '/auth/*'], injectFaults(behaviour));
  app.route('/auth', authRoutes(tokens));
  app.use('/api/v3/*', requireAccessToken(tokens), async (request, next) => {
    readVersion(request, behaviour);
    await next();
  });
  app.route('/api/v3', apiRoutes({ world, behaviour }));
  app.route('/admin', adminRoutes(change));
  return app;
}
