import * as z from 'zod/mini';
import { ServiceError } from '../../core/model/errors.ts';
import type {
  EntityAnswer,
  EntityRequest,
  Page,
  PageRequest,
  RateAllowance,
  ServiceApi,
} from '../../core/ports/service-api.ts';
import type { AccessTokens, ServiceApiOptions } from './options.ts';
import { readDated, readPage } from './parse-page.ts';
import { Transport } from './transport.ts';

export type { AccessTokens, RateLimited, ServiceApiOptions, SmallPage } from './options.ts';

/**
 * Client of the lists of the Construction Project Service API v3, as the poller uses it. All calls
 * of one client share its request limits, pauses and access token, so a process should have one
 * client.
 *
 * - Retries reads after 408, 429, 5xx, network errors, time-outs and broken answers.
 * - A 429 pauses the whole client for the time that the service asks for, up to an hour; 30 seconds
 *   if it names none. After it fewer requests go out for a while, evenly spaced. An aborted signal
 *   ends the waiting; the pause remains for the next calls.
 */
export class ServiceApiClient implements ServiceApi {
  readonly #transport: Transport;
  readonly #accessTokens: AccessTokens;
  #onSmallPage: ServiceApiOptions['onSmallPage'];

  constructor(options: ServiceApiOptions) {
    this.#accessTokens = options.accessTokens;
    this.#onSmallPage = options.onSmallPage;
    this.#transport = new Transport(options);
  }

  async fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page> {
    const { path, lastSyncedAt, query, perPage, startBefore } = request;
    const page = await this.#transport.send(
      {
        path,
        query: { ...query, ...(lastSyncedAt !== undefined && { last_synced_at: lastSyncedAt }) },
        perPage,
        isList: true,
        startBefore,
        read: readPage,
      },
      signal,
    );
    this.#noteSize(request, page);
    return page;
  }

  /** A service that does not know the header with the size of a page costs many requests: once is enough to say so. */
  #noteSize({ path, perPage: asked }: PageRequest, { entities, invalid, hasMore }: Page): void {
    const got = entities.length + invalid.length;
    if (!hasMore || got >= asked) return;
    this.#onSmallPage?.({ path, asked, got });
    this.#onSmallPage = undefined;
  }

  async fetchEntity(request: EntityRequest, signal?: AbortSignal): Promise<EntityAnswer> {
    try {
      const call = { ...request, isList: false, read: readDated };
      return { verdict: 'found', ...(await this.#transport.send(call, signal)) };
    } catch (error) {
      const status = error instanceof ServiceError ? error.status : undefined;
      if (status === 404) return { verdict: 'missing' };
      if (status === 403) return { verdict: 'forbidden' };
      throw error;
    }
  }

  allowance(withinMs: number): RateAllowance {
    return this.#transport.limiter.allowance(withinMs);
  }

  handOver(): string {
    const token = this.#accessTokens.handOver?.();
    return JSON.stringify({ requests: this.#transport.limiter.handOver(), token });
  }

  resume(note: string): void {
    const { requests, token } = parseNote(note);
    if (requests !== undefined) this.#transport.limiter.resume(requests);
    if (token !== undefined) this.#accessTokens.resume?.(token);
  }

  /** Counts a request that was sent besides the client: an exchange of the access token. */
  countRequest(): void {
    this.#transport.limiter.countStart();
  }
}

const noteShape = z.object({ requests: z.optional(z.string()), token: z.optional(z.string()) });

function parseNote(note: string): z.output<typeof noteShape> {
  try {
    return noteShape.safeParse(JSON.parse(note)).data ?? {};
  } catch {
    return {};
  }
}
