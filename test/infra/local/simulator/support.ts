import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import {
  startSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../../infra/local/simulator/simulator.ts';
import type { Collection, Row } from '../../../../infra/local/simulator/world/collection.ts';
import type { World } from '../../../../infra/local/simulator/world/world.ts';
import { SimulatorClient } from './simulator-client.ts';

/** A clock that stands still until it is moved. */
export class TestClock {
  time = Date.UTC(2024, 4, 1, 10, 0, 0);

  readonly now = (): number => this.time;

  advance(milliseconds: number): void {
    this.time += milliseconds;
  }
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A request without the API's prefix and without authorization. */
export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A running service that stops with the test, and short ways to call it. */
export class TestService {
  readonly clock: TestClock;
  readonly running: Simulator;
  #accessToken: string | undefined;

  constructor(clock: TestClock, running: Simulator) {
    this.clock = clock;
    this.running = running;
  }

  static async start(options: SimulatorOptions = {}): Promise<TestService> {
    const service = await TestService.launch(options);
    onTestFinished(() => service.running.close());
    return service;
  }

  /** As {@link TestService.start}, but the caller stops it. */
  static async launch(options: SimulatorOptions): Promise<TestService> {
    const clock = new TestClock();
    return new TestService(clock, await startSimulator({ now: clock.now, ...options }));
  }

  get world(): World {
    return this.running.world;
  }

  /** Any project of the first world with floorplans and checklists. */
  get projectId(): string {
    return firstOf(this.running.world.projects.list.all()).id;
  }

  /** Calls the API with a good token, which is fetched once. */
  readonly api = async (path: string, call: Call = {}): Promise<Answer> => {
    this.#accessToken ??= await this.exchange();
    const headers = { authorization: `Bearer ${this.#accessToken}`, ...call.headers };
    return sendRequest(`${this.running.baseUrl}/api/v3${path}`, { ...call, headers });
  };

  /** Calls an admin endpoint. */
  readonly admin = (path: string, call: Call = {}): Promise<Answer> =>
    sendRequest(`${this.running.adminUrl}${path}`, call);

  /** A new access token. */
  readonly exchange = async (): Promise<string> => {
    const answer = await sendRequest(`${this.running.authUrl}/api_keys/jwt`, {
      method: 'POST',
      body: { api_token: this.running.refreshToken },
    });
    return (JSON.parse(answer.text) as { access_token: string }).access_token;
  };

  /** The typed client, on this service. */
  readonly makeClient = (serviceVersion?: string): SimulatorClient => {
    const { baseUrl, authUrl } = this.running;
    const secret = { name: 'test', read: () => Promise.resolve(this.running.refreshToken) };
    const accessTokens = new AccessTokenSource({ authUrl, secret, retryBaseMs: 1 });
    return new SimulatorClient({ baseUrl, accessTokens, serviceVersion });
  };
}

/** A service that the tests of a file share: it is started before them and stopped after them. */
export function shareService(options: SimulatorOptions = {}): () => TestService {
  let shared: TestService;
  beforeAll(async () => {
    shared = await TestService.launch(options);
  });
  afterAll(() => shared.running.close());
  return () => shared;
}

/** Sends a request and reads the answer. */
export async function sendRequest(url: string, call: Call = {}): Promise<Answer> {
  const response = await fetch(url, {
    method: call.method ?? 'GET',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...call.headers },
    ...(call.body !== undefined && {
      body: typeof call.body === 'string' ? call.body : JSON.stringify(call.body),
    }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** The statuses of some calls, one after the other. */
export async function statusesOf(
  service: TestService,
  paths: readonly string[],
): Promise<number[]> {
  const seen: number[] = [];
  for (const path of paths) seen.push((await service.api(path)).status);
  return seen;
}

/** The answer's body as an object. */
export function readObject(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}

/** The answer's body as a list of entities. */
export function readEntities(answer: Answer): (Row & Record<string, unknown>)[] {
  return JSON.parse(answer.text) as (Row & Record<string, unknown>)[];
}

/** The first value of a list that has one. */
export function firstOf<T>(values: readonly T[]): T {
  const [value] = values;
  if (value === undefined) throw new Error('the list is empty');
  return value;
}

/** The first entity that is not deleted, or that is. */
export function pickRow<T extends Row>(
  list: Collection<T>,
  which: 'alive' | 'deleted' = 'alive',
): T {
  return firstOf(list.all().filter((row) => (row.deleted_at === null) === (which === 'alive')));
}
