import type { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { startListening } from '../embedded/http-server.ts';
import { Activity, DEFAULT_RATE } from './activity/activity.ts';
import { validateInput } from './api/api-error.ts';
import { Tokens } from './api/tokens.ts';
import { makeApp, PATHS } from './app.ts';
import { behaviourSchema, type ServiceBehaviour, type ServiceBehaviourInput } from './behaviour.ts';
import { seedWorld, type WorldSize } from './world/seed.ts';
import { World } from './world/world.ts';

/** How to start the simulated service. */
export interface ServiceOptions {
  /** Port on 127.0.0.1. Default 0: any that is free. */
  readonly port?: number;
  /** Decides the first world, the activity and all chance. Default 1. */
  readonly seed?: number;
  /** How much the world holds at first. */
  readonly size?: WorldSize;
  /** The service's clock, milliseconds since 1970. Default: the machine's. */
  readonly now?: () => number;
  /** Whether changes are made from the start, or how many a second. Default false. */
  readonly activity?: boolean | number;
  /** Lifetime of access tokens. Short for the switch of the same name. */
  readonly accessTokenSeconds?: number;
  /** What differs from the defaults; see `docs/simulated-service.md`. */
  readonly behaviour?: ServiceBehaviourInput;
}

/** The simulated Construction Project Service API v3, answering over HTTP. */
export interface RunningService {
  /** The spec's `{base_url}`: lists are below `<baseUrl>/api/v3`. */
  readonly baseUrl: string;
  /** The spec's `{auth_url}`: tokens are at `<authUrl>/api_keys/jwt`. */
  readonly authUrl: string;
  /** Where the control endpoints are, see `docs/simulated-service.md`. */
  readonly controlUrl: string;
  /** The refresh token that is good now. */
  readonly refreshToken: string;
  /** What the service holds. May be changed directly. */
  readonly world: World;
  /** May be changed at any time. */
  readonly behaviour: ServiceBehaviour;
  /** Both kinds of token: expire, rotate, revoke. */
  readonly tokens: Tokens;
  /**
   * Starts making changes, or goes on with another rate.
   *
   * @param rate changes a second; absent: as before, or 2.
   */
  startActivity(rate?: number): void;
  stopActivity(): void;
  /** Stops everything and cuts what is still connected. */
  close(): Promise<void>;
}

/**
 * Starts the simulated service.
 *
 * @throws a system error with code `EADDRINUSE` when the port is taken.
 * @throws ApiError naming the switch, its value and what is allowed.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { port = 0, seed = 1, now = Date.now, activity: makeChanges = false } = options;
  const behaviour = validateInput(behaviourSchema, {
    ...options.behaviour,
    ...(options.accessTokenSeconds !== undefined && {
      accessTokenSeconds: options.accessTokenSeconds,
    }),
  });
  const world = new World({ seed, now, behaviour });
  const shortProjects = seedWorld(world, seed, options.size);
  const rate = typeof makeChanges === 'number' ? makeChanges : DEFAULT_RATE;
  const activity = new Activity(world, { seed, shortProjects, rate });
  const tokens = new Tokens({ now, behaviour });
  const stop = new AbortController();
  const app = makeApp({ world, behaviour, seed, activity, tokens, signal: stop.signal });

  const server = createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' }) as Server;
  const listening = await startListening(server, port);
  const { url: origin } = listening;
  if (makeChanges !== false) activity.start();

  return {
    baseUrl: origin,
    authUrl: `${origin}${PATHS.auth}`,
    controlUrl: `${origin}${PATHS.control}`,
    get refreshToken() {
      return tokens.refreshToken;
    },
    world,
    behaviour,
    tokens,
    startActivity: (newRate) => {
      activity.start(newRate);
    },
    stopActivity: () => {
      activity.stop();
    },
    close: async () => {
      activity.stop();
      stop.abort();
      await listening.close();
    },
  };
}
