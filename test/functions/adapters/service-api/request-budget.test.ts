import { describe, expect, it } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import { ServiceApiClient } from '../../../../functions/adapters/service-api/service-client.ts';
import { RateLimitedError, ServiceError } from '../../../../functions/core/model/errors.ts';
import type { Clock } from '../../../../functions/core/ports/clock.ts';
import { VirtualTime } from '../../../simulation/virtual-time.ts';
import { stopwatchBy } from '../../../support/manual-clock.ts';

const MINUTE = 60_000;
const ANSWER_MS = 100;

/** A service in virtual time, with a limit of its own and tokens that expire. */
class LimitedService {
  readonly time = new VirtualTime(0);
  /** Start of each request that arrived, exchanges of tokens included. */
  readonly arrivals: number[] = [];
  answered = 0;
  refused = 0;
  unauthorized = 0;
  readonly clock: Clock;
  readonly #perMinute: number;
  readonly #tokenMs: number;

  constructor({ perMinute = Infinity, tokenMs = Infinity } = {}) {
    this.#perMinute = perMinute;
    this.#tokenMs = tokenMs;
    this.clock = {
      now: () => this.time.now,
      stopwatch: stopwatchBy(() => this.time.now),
      sleep: (milliseconds, signal) =>
        new Promise((resolve) => {
          if (milliseconds <= 0 || signal?.aborted === true) resolve();
          this.time.after(milliseconds, resolve);
          signal?.addEventListener('abort', () => {
            resolve();
          });
        }),
    };
  }

  get mostInAMinute(): number {
    const within = (start: number) =>
      this.arrivals.filter((time) => time >= start && time < start + MINUTE).length;
    return Math.max(...this.arrivals.map(within));
  }

  readonly fetch: typeof fetch = async (url, init) => {
    const arrivedAt = this.time.now;
    this.arrivals.push(arrivedAt);
    await this.time.sleep(ANSWER_MS);
    const expires = Math.floor(arrivedAt / this.#tokenMs);
    if (new Request(url).url.endsWith('/jwt'))
      return Response.json({ access_token: `t${expires}` });
    const { authorization } = (init?.headers ?? {}) as Record<string, string>;
    if (authorization !== `Bearer t${expires}`) {
      this.unauthorized += 1;
      return new Response('', { status: 401 });
    }
    const inMinute = this.arrivals.filter((t) => t >= Math.floor(arrivedAt / MINUTE) * MINUTE);
    if (inMinute.length > this.#perMinute) {
      this.refused += 1;
      return new Response('', { status: 429 });
    }
    this.answered += 1;
    return Response.json([], { headers: { 'X-Has-More': 'false' } });
  };

  /** A new process. */
  process(requestsPerMinute: number): ServiceApiClient {
    const { fetch, clock } = this;
    const accessTokens = new AccessTokenSource({
      authUrl: 'https://auth.invalid',
      secret: { name: 's', read: () => Promise.resolve('refresh') },
      fetch,
      onExchange: () => {
        client.countRequest();
      },
    });
    const baseUrl = 'https://service.invalid';
    const client = new ServiceApiClient({ baseUrl, accessTokens, requestsPerMinute, clock, fetch });
    return client;
  }

  /** Polls lists for at most 45 seconds. @returns the time that it took. */
  async run(client: ServiceApiClient, lists: number, note?: string): Promise<number> {
    const startedAt = this.time.now;
    const until = startedAt + 45_000;
    client.beginRun({ note, until });
    const poll = async () => {
      if (client.allowance(until - this.time.now).requests <= 0) return;
      await client.fetchPage({ path: '/list', perPage: 1 }).catch((error: unknown) => {
        const isLimit = error instanceof ServiceError && error.status === 429;
        if (!isLimit && !(error instanceof RateLimitedError)) throw error;
      });
    };
    const queue = Array.from({ length: lists });
    const workers = Array.from({ length: 8 }, async () => {
      while (queue.length > 0) {
        queue.pop();
        await poll();
      }
    });
    await this.#until(Promise.all(workers));
    const took = this.time.now - startedAt;
    await this.#until(this.time.sleep(MINUTE - took));
    return took;
  }

  async #until(done: Promise<unknown>): Promise<void> {
    let isOver = false;
    void done.then(() => (isOver = true));
    await this.time.pass(() => isOver);
  }
}

describe('the request budget', () => {
  it('is one for all processes: each goes on with what the last one left', async () => {
    const service = new LimitedService();
    let usage: string | undefined;
    for (const lists of [4, 20, 20, 3, 20]) {
      const client = service.process(10);
      await service.run(client, lists, usage);
      usage = client.handOver();
    }
    expect(service.mostInAMinute).toBe(10);
    expect(service.arrivals.length).toBeGreaterThan(35);
  });

  it('holds for exchanges of expired tokens, too', async () => {
    const service = new LimitedService({ tokenMs: MINUTE });
    const client = service.process(10);
    const took = [];
    for (let n = 0; n < 5; n += 1) took.push(await service.run(client, 20));
    expect(service.mostInAMinute).toBeLessThanOrEqual(10);
    // A run that could only wait has ended.
    expect(Math.max(...took)).toBeLessThan(5_000);
  });

  it('is spent gradually after a refusal, so that few others follow', async () => {
    const service = new LimitedService({ perMinute: 60 });
    const client = service.process(500);
    for (let n = 0; n < 10; n += 1) await service.run(client, 200);
    expect(service.answered).toBeGreaterThan(300);
    expect(service.refused).toBeLessThan(service.answered / 5);
  });
});
