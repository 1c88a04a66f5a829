import { FeedError, RateLimitedError, ServiceError } from '../../core/model/errors.ts';
import type {
  EntityAnswer,
  EntityRequest,
  Page,
  PageRequest,
  RateAllowance,
  ServiceApi,
} from '../../core/ports/service-api.ts';
import { saidBy, type HttpAnswer } from '../shared/http-exchange.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { retry, type RetryEnvironment, type RetryOptions } from '../shared/retry.ts';
import type { ServiceApiOptions } from './options.ts';
import { parseBody, readEntity, readPage } from './parse-page.ts';
import { RateLimiter } from './rate-limiter.ts';
import {
  brokenAnswerError,
  isRetryable,
  mayMeanTokenEnded,
  statusError,
} from './response-errors.ts';
import { nameOf, sendRequest, type Call } from './send-request.ts';
import { TokenRenewal } from './token-renewal.ts';

export type { AccessTokens, ServiceApiOptions } from './options.ts';

/**
 * Client of the lists of the Construction Project Service API v3, as the poller uses it.
 *
 * - Retries reads after 408, 429, 5xx, network errors, time-outs and broken answers.
 * - Renews an access token that may have ended, and sends the request once more.
 * - A 429 pauses all requests of the client, see {@link RateLimiter}. An aborted signal ends the
 *   waiting; the pause remains for the next calls.
 *
 * All calls share the limits and the access token, so a process should have one client.
 */
export class ServiceApiClient implements ServiceApi {
  readonly #options;
  readonly #limiter: RateLimiter;
  readonly #tokenRenewal: TokenRenewal;
  readonly #retryEnvironment: RetryEnvironment;
  #onSmallPage: ServiceApiOptions['onSmallPage'];
  /** No request starts later. */
  #until = Infinity;

  constructor(options: ServiceApiOptions) {
    this.#options = {
      concurrency: 8,
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 10_000,
      maxBodyBytes: 64e6,
      fetch: globalThis.fetch,
      ...options,
    };
    this.#limiter = new RateLimiter(this.#options, options.clock);
    this.#tokenRenewal = new TokenRenewal(options.accessTokens, options.clock);
    this.#retryEnvironment = {
      sleep: (milliseconds, signal) => options.clock.sleep(milliseconds, signal),
      random: Math.random,
    };
    this.#onSmallPage = options.onSmallPage;
  }

  async fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page> {
    const { lastSyncedAt, ...list } = request;
    const cursor = lastSyncedAt !== undefined && { last_synced_at: lastSyncedAt };
    const call = { ...list, query: { ...list.query, ...cursor }, isList: true, read: readPage };
    const page = await this.#send(call, signal);
    this.#reportSmallPage(request, page);
    return page;
  }

  async fetchEntity(request: EntityRequest, signal?: AbortSignal): Promise<EntityAnswer> {
    try {
      const call = { ...request, isList: false, read: readEntity };
      return { verdict: 'found', entity: await this.#send(call, signal) };
    } catch (error) {
      const status = error instanceof ServiceError ? error.status : undefined;
      if (status === 404) return { verdict: 'missing' };
      if (status === 403) return { verdict: 'forbidden' };
      throw error;
    }
  }

  allowance(withinMs: number): RateAllowance {
    return this.#limiter.allowance(withinMs);
  }

  handOver(): string {
    const token = this.#options.accessTokens.handOver?.();
    return JSON.stringify({ requests: this.#limiter.handOver(), token });
  }

  beginRun({ note, until }: Parameters<ServiceApi['beginRun']>[0]): void {
    this.#until = until;
    if (note === undefined) return;
    const { requests, token } = parseNote(note);
    this.#limiter.resume(requests);
    this.#options.accessTokens.resume?.(token);
  }

  /** Counts a request that was sent besides the client: an exchange of the access token. */
  countRequest(): void {
    this.#limiter.countStart();
  }

  /** Once is enough to say that a service does not know the header with the size of a page. */
  #reportSmallPage({ path, perPage: asked }: PageRequest, page: Page): void {
    const got = page.entities.length + page.invalid.length;
    if (!page.hasMore || got >= asked) return;
    this.#onSmallPage?.({ path, asked, got });
    this.#onSmallPage = undefined;
  }

  /**
   * Sends a call, and retries it until the signal is aborted, or the limits allow no attempt in
   * time. Rejects then with the error of the last failed attempt: a list whose retries outlast
   * every run backs off.
   */
  async #send<T>(call: Call<T>, signal: AbortSignal | undefined): Promise<T> {
    let failure: FeedError | undefined;
    const attempt = async (): Promise<T> => {
      try {
        return await this.#limiter.run(() => this.#attempt(call, signal), signal);
      } catch (error) {
        if (error instanceof FeedError) failure = error;
        throw error;
      }
    };
    try {
      return await retry(attempt, this.#retryOptions(signal), this.#retryEnvironment);
    } catch (error) {
      if (signal?.aborted) throw failure ?? signal.reason;
      throw error instanceof RateLimitedError ? (failure ?? error) : error;
    }
  }

  #retryOptions(signal: AbortSignal | undefined): RetryOptions {
    const { tries, retryBaseMs, maxWaitMs } = this.#options;
    return {
      maxTries: tries,
      baseDelayMs: retryBaseMs,
      maxDelayMs: 5_000,
      isRetryable,
      retryAfterMs: requestedWait,
      // The list waits instead.
      maxRetryAfterMs: maxWaitMs,
      signal,
    };
  }

  /** Sends one request, and a second one if its token may have ended and there is another. */
  async #attempt<T>(call: Call<T>, signal: AbortSignal | undefined): Promise<T> {
    const token = await this.#tokenForStart(signal);
    try {
      return await this.#request(call, token, signal);
    } catch (error) {
      if (signal?.aborted || !mayMeanTokenEnded(error, call.isList)) throw error;
      if (!(await this.#tokenRenewal.renew(call.path, token, signal))) throw error;
    }
    const next = await this.#tokenForStart(signal);
    return this.#request(call, next, signal);
  }

  /** Waits until a request may start. @returns the token for it. */
  async #tokenForStart(signal: AbortSignal | undefined): Promise<string> {
    const { accessTokens } = this.#options;
    // An exchange must not count as the start of the request.
    await accessTokens.get(signal);
    await this.#limiter.waitForStart(this.#until, signal);
    // It may have been renewed meanwhile.
    return accessTokens.get(signal);
  }

  async #request<T>(call: Call<T>, token: string, signal: AbortSignal | undefined): Promise<T> {
    this.#options.onRequest?.();
    const sinceSent = this.#options.clock.stopwatch();
    const answer = await sendRequest(call, token, this.#options, signal);
    const result = this.#read(call, answer, sinceSent());
    this.#tokenRenewal.noteRead(call.path, token);
    return result;
  }

  /** @throws the error that the answer is. */
  #read<T>(call: Call<T>, answer: HttpAnswer, elapsedMs: number): T {
    const { status, headers, text } = answer;
    if (!answer.ok) throw this.#failureOf(call, answer);
    const broken = (reason: string) => brokenAnswerError(nameOf(call), reason);
    const value = status === 204 ? null : parseBody(text, broken);
    return call.read({ status, value, headers, elapsedMs, broken });
  }

  #failureOf(call: Call<unknown>, answer: HttpAnswer): ServiceError {
    const { status, headers } = answer;
    const operation = nameOf(call);
    const requestedMs = readRetryAfter(answer, this.#options.clock.now());
    if (status === 429) {
      const pauseMs = this.#limiter.pause(requestedMs);
      this.#options.onRateLimited?.({ operation, pauseMs });
    }
    const text = saidBy(status, headers.get('location'), answer.text);
    const { isList } = call;
    return statusError(operation, { status, text, isList, retryAfterMs: requestedMs ?? 0 });
  }
}

/** The wait that the service requests. After a 429 all requests pause instead. */
function requestedWait(error: unknown): number {
  return error instanceof ServiceError && error.status !== 429 ? error.retryAfterMs : 0;
}

function parseNote(note: string): { readonly requests?: unknown; readonly token?: unknown } {
  try {
    return { ...(JSON.parse(note) as object | null) };
  } catch {
    return {};
  }
}
