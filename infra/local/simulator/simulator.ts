import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { startListening } from '../embedded/http-server.ts';
import { Activity, DEFAULT_RATE } from './activity.ts';
import { validateInput } from './api/api-error.ts';
import { Tokens } from './api/tokens.ts';
import { makeApp, PATHS } from './app.ts';
import { behaviourSchema, type ServiceBehaviour, type ServiceBehaviourInput } from './behaviour.ts';
import { SiteChanges } from './changes.ts';
import { Random } from './world/random.ts';
import { seedWorld, type WorldSize } from './world/seed.ts';
import { World } from './world/world.ts';

export interface SimulatorOptions {
  /** Port on 127.0.0.1. Default 0: any free port. */
  readonly port?: number;
  /** Seed of the initial world, the activity and all randomness. Default 1. */
  readonly seed?: number;
  /** Size of the initial world. */
  readonly size?: WorldSize;
  /** The service's clock, milliseconds since 1970. Default: the machine's. */
  readonly now?: () => number;
  /** Whether the activity starts at once, or its changes per second. Default false. */
  readonly activity?: boolean | number;
  /** Whether the activity also writes floorplans whose events are too large for a message. Default false. */
  readonly large?: boolean;
  /** Whether each project has one more list, of tasks. Default false. */
  readonly additional?: boolean;
  /** Shorthand for the field of the same name in `behaviour`. */
  readonly accessTokenSeconds?: number;
  /** Deviations from the default behaviour; see `docs/simulated-service.md`. */
  readonly behaviour?: ServiceBehaviourInput;
}

/** The simulated Construction Project Service API v3, answering over HTTP. */
export interface Simulator {
  /** The spec's `{base_url}`: lists are below `<baseUrl>/api/v3`. */
  readonly baseUrl: string;
  /** The spec's `{auth_url}`: tokens are at `<authUrl>/api_keys/jwt`. */
  readonly authUrl: string;
  /** Base URL of the admin endpoints; see `docs/simulated-service.md`. */
  readonly adminUrl: string;
  /** The current refresh token. */
  readonly refreshToken: string;
  /** Content of the service. May be changed directly. */
  readonly world: World;
  /** May be changed at any time. */
  readonly behaviour: ServiceBehaviour;
  /** Expires, rotates and revokes tokens. */
  readonly tokens: Tokens;
  /** Makes any change of the catalogue. */
  readonly changes: SiteChanges;
  /** Called for each request to the API and the token endpoint. */
  readonly requestListeners: Set<() => void>;
  readonly activity: Activity;
  startActivity(): void;
  /** Stops everything and closes all connections. */
  close(): Promise<void>;
}

/**
 * Starts the simulated service.
 *
 * @throws a system error with code `EADDRINUSE` when the port is taken.
 * @throws ApiError naming the invalid field of the behaviour, its value and the allowed values.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, seed = 1, now = Date.now, activity: makeChanges = false } = options;
  const { accessTokenSeconds, large = false, additional = false } = options;
  const behaviour = validateInput(behaviourSchema, {
    ...options.behaviour,
    ...(accessTokenSeconds !== undefined && { accessTokenSeconds }),
  });
  const world = new World({ seed, now, behaviour });
  seedWorld(world, seed, options.size);
  const changes = new SiteChanges(world, new Random(seed, 'changes'));
  const rate = typeof makeChanges === 'number' ? makeChanges : DEFAULT_RATE;
  const activity = new Activity(world, { seed, rate, large, additional });
  const tokens = new Tokens({ now, behaviour });
  const stop = new AbortController();
  const requestListeners = new Set<() => void>();
  const app = makeApp({
    ...{ world, behaviour, seed, additional, activity, changes, tokens },
    signal: stop.signal,
    onRequest: () => {
      for (const listener of requestListeners) listener();
    },
  });

  const server = createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' }) as Server;
  const listening = await startListening(server, port);
  const { url: origin } = listening;
  if (makeChanges !== false) activity.start();

  return {
    baseUrl: origin,
    authUrl: `${origin}${PATHS.auth}`,
    adminUrl: `${origin}${PATHS.admin}`,
    get refreshToken() {
      return tokens.refreshToken;
    },
    world,
    behaviour,
    tokens,
    requestListeners,
    activity,
    changes,
    startActivity: () => {
      activity.start();
    },
    close: async () => {
      activity.stop();
      stop.abort();
      await listening.close();
    },
  };
}
