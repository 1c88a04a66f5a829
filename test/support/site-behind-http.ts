import { ServiceApiClient } from '../../functions/adapters/service-api/service-client.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import type { RunSummary } from '../../functions/core/run/run-summary.ts';
import { settlePromises } from './manual-clock.ts';
import { Site } from './site.ts';

const MINUTE_MS = 60_000;
/** Milliseconds that a run has. */
const RUN_MS = 55_000;

/** A request that the service got. */
export interface AnsweredRequest {
  readonly path: string;
  readonly status: number;
}

/** A site whose service is read by the real HTTP client, in virtual time, with a new process for each run. */
export class SiteBehindHttp extends Site {
  /** Requests since {@link takeRequests}. */
  #requests: AnsweredRequest[] = [];
  readonly #requestsPerMinute: number;
  /** What the service answers to a path instead of its list, if anything. */
  answerInstead: (path: string) => Response | undefined = () => undefined;

  constructor({ requestsPerMinute }: { readonly requestsPerMinute: number }) {
    super();
    this.#requestsPerMinute = requestsPerMinute;
  }

  takeRequests(): readonly AnsweredRequest[] {
    return this.#requests.splice(0);
  }

  /** Starts a run each minute, or one for each of the options, after each other. */
  async runFor(minutes: number, options: readonly Partial<RunOptions>[] = [{}]): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      const startedAt = this.clock.now();
      for (const each of options) await this.#runInTime(each);
      this.clock.advance(Math.max(1_000, startedAt + MINUTE_MS - this.clock.now()));
    }
  }

  /** A run, whose waits pass at once. */
  async #runInTime(options: Partial<RunOptions>): Promise<RunSummary> {
    const { clock } = this;
    const api = this.#makeClient();
    const endsAt = clock.now() + RUN_MS;
    const running = this.poll({ ...options, remainingMs: () => endsAt - clock.now() }, { api });
    let hasEnded = false;
    const ended = running.finally(() => (hasEnded = true));
    for (;;) {
      for (let turn = 0; turn < 20 && !hasEnded; turn += 1) await settlePromises();
      if (hasEnded) return ended;
      clock.advanceToNext();
    }
  }

  #makeClient(): ServiceApiClient {
    const { clock } = this;
    return new ServiceApiClient({
      baseUrl: 'https://service.example',
      accessTokens: { get: () => Promise.resolve('t'), renew: () => Promise.resolve('t') },
      requestsPerMinute: this.#requestsPerMinute,
      clock,
      fetch: (input, init) => this.#answer(input, init),
    });
  }

  /** A Request of its own for each would cost a tenth of all. */
  async #answer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    const path = pathname.replace('/api/v3', '');
    await settlePromises();
    const instead = this.answerInstead(path);
    this.#requests.push({ path, status: instead?.status ?? 200 });
    if (instead !== undefined) return instead;
    const lastSyncedAt = searchParams.get('last_synced_at') ?? undefined;
    const { entities, hasMore, ...page } = await this.api.fetchPage({
      path,
      perPage: Number(headers.get('Service-Per-Page')),
      ...(lastSyncedAt !== undefined && { lastSyncedAt }),
    });
    return Response.json(entities, {
      headers: {
        'X-Has-More': String(hasMore),
        ...(page.lastSyncedAt !== undefined && { 'X-Last-Synced-At': page.lastSyncedAt }),
        Date: new Date(this.clock.now()).toUTCString(),
      },
    });
  }
}
