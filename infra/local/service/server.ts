import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type ServerType } from '@hono/node-server';
import { Activity, DEFAULT_RATE } from './activity/activity.ts';
import { check } from './api/problem.ts';
import { Tokens } from './api/tokens.ts';
import { makeApp, PATHS } from './app.ts';
import { switchesSchema, type Switches, type SwitchesInput } from './behaviour.ts';
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
  readonly switches?: SwitchesInput;
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
  readonly switches: Switches;
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
 * @throws Problem naming the switch, its value and what is allowed.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { port = 0, seed = 1, now = Date.now, activity: makeChanges = false } = options;
  const switches = check(switchesSchema, {
    ...options.switches,
    ...(options.accessTokenSeconds !== undefined && {
      accessTokenSeconds: options.accessTokenSeconds,
    }),
  });
  const world = new World({ seed, now, switches });
  const shortProjects = seedWorld(world, seed, options.size);
  const rate = typeof makeChanges === 'number' ? makeChanges : DEFAULT_RATE;
  const activity = new Activity(world, { seed, shortProjects, rate });
  const tokens = new Tokens({ now, switches });
  const stop = new AbortController();
  const app = makeApp({ world, switches, seed, activity, tokens, signal: stop.signal });

  const server = createAdaptorServer({ fetch: app.fetch, hostname: '127.0.0.1' });
  const origin = await listen(server, port);
  if (makeChanges !== false) activity.start();

  return {
    baseUrl: origin,
    authUrl: `${origin}${PATHS.auth}`,
    controlUrl: `${origin}${PATHS.control}`,
    get refreshToken() {
      return tokens.refreshToken;
    },
    world,
    switches,
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
      await closeServer(server);
    },
  };
}

async function listen(server: ServerType, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closeServer(server: ServerType): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
  await closed;
}
