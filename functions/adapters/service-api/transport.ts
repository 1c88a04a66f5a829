import pRetry from 'p-retry';
import { readRetryAfter } from '../shared/retry-after.ts';
import type { JsonObject } from '../../core/model/entity.ts';
import { PageTooLargeError, ServiceError } from '../../core/model/errors.ts';
import type { FeedError } from '../../core/model/errors.ts';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import type { BodyReservation } from '../../core/ports/service-api.ts';
import type { Answer } from './parse-page.ts';
import { AttemptTimeoutError, type Attempt } from './attempt.ts';
import { readInto } from './read-body.ts';
import {
  answeredWithError,
  brokenAnswer,
  isFailureOfFeed,
  isRetryable,
  noAnswer,
  tookTooLong,
} from './response-errors.ts';
import type { Method } from './response-errors.ts';
import type { ServiceApiOptions } from './options.ts';
import { RequestBudget } from './request-limiter.ts';

/** The longest pause after a 429. A service that asks for more is asked again after it. */
const LONGEST_PAUSE_MS = 3_600_000;

/** One operation on the service. */
export interface Call<T> {
  readonly method: Method;
  /** Below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; nothing is sent without it. */
  readonly body?: JsonObject;
  /** Lists are refused with FeedRefusedError. */
  readonly isList: boolean;
  /** Room for the body of a good answer; it is read at once without it. */
  readonly reservation?: BodyReservation | undefined;
  /** Makes the result of the answer, or throws ProtocolError. */
  readonly read: (answer: Answer) => T;
}

/** What is remembered of a call between its attempts. */
interface Progress {
  attempts: number;
  /** The token of the last attempt. */
  token: string;
  renewed: boolean;
  /** Wait the service asked for, in milliseconds. */
  retryAfterMs: number;
  /** What the last attempt that was the feed's own failure failed with. */
  failure: FeedError | undefined;
}

/** Sends calls with a token, within the budget, each attempt in its time, and again where it may pass. */
export class Transport {
  readonly #options: Required<Omit<ServiceApiOptions, 'onRateLimited' | 'serviceVersion'>>;
  readonly #onRateLimited: ServiceApiOptions['onRateLimited'];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #root: string;
  readonly #budget: RequestBudget;

  constructor({ onRateLimited, serviceVersion, ...options }: ServiceApiOptions) {
    this.#options = {
      concurrency: 8,
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 10_000,
      fetch: globalThis.fetch,
      ...options,
    };
    this.#onRateLimited = onRateLimited;
    this.#headers = {
      accept: 'application/json',
      ...(serviceVersion !== undefined && { 'Service-Version': serviceVersion }),
    };
    this.#root = `${options.baseUrl.replace(/\/+$/, '')}/api/v3`;
    this.#budget = new RequestBudget(this.#options);
  }

  /** See the port. */
  allowance(withinMs: number): RateAllowance {
    return this.#budget.allowance(withinMs);
  }

  /**
   * Sends a call. Once the signal is aborted it rejects with the last failure of an attempt, so that
   * a feed whose retries outlast every run backs off; with the signal's reason when none has failed
   * but by a rate limit or by the signal itself. Else it rejects as the port says.
   */
  async send<T>(call: Call<T>, signal?: AbortSignal): Promise<T> {
    const progress: Progress = {
      attempts: 0,
      token: '',
      renewed: false,
      retryAfterMs: 0,
      failure: undefined,
    };
    try {
      return await pRetry(() => this.#attempt(call, progress, signal), {
        retries: this.#options.tries - 1,
        shouldRetry: ({ error, attemptNumber }) =>
          this.#waitToRetry(call, error, attemptNumber, progress, signal),
        // It waits there: p-retry knows nothing of what the service asks for.
        minTimeout: 0,
      });
    } catch (error) {
      if (signal?.aborted) throw progress.failure ?? signal.reason;
      throw error;
    }
  }

  /** @returns whether to try again, when it is time to. */
  async #waitToRetry(
    { method }: Call<unknown>,
    error: Error,
    attempt: number,
    { retryAfterMs }: Progress,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    // A wait of minutes is not for a request to sit out: the core backs the feed off.
    if (retryAfterMs > this.#options.maxWaitMs || !isRetryable(error, method)) return false;
    const waitMs = Math.max(retryAfterMs, Math.random() * this.#backoff(attempt));
    await this.#options.clock.sleep(waitMs, signal);
    return true;
  }

  /** One attempt, and another with a renewed token if the first one's had expired. */
  async #attempt<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    progress.attempts++;
    try {
      return await this.#sendOnce(call, progress, signal);
    } catch (error) {
      const expired = error instanceof ServiceError && error.status === 401;
      if (!expired || progress.renewed) throw error;
      progress.renewed = true;
      await this.#options.accessTokens.renew(progress.token, signal);
      return this.#sendOnce(call, progress, signal);
    }
  }

  /** Waits for its turn in the budget, sends, and reads the answer. */
  async #sendOnce<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { accessTokens, attemptTimeoutMs } = this.#options;
    const what = nameOf(call);
    // An exchange is waited for here, where it does not count against the attempt's time.
    await accessTokens.get(signal);
    const send = async (attempt: Attempt): Promise<T> => {
      // PendingPage again, since the token may have been renewed while the request waited for its turn.
      progress.token = await accessTokens.get(attempt.signal);
      const sentAt = this.#options.clock.now();
      const { response, text } = await this.#fetchText(call, progress, attempt);
      const elapsedMs = this.#options.clock.now() - sentAt;
      if (!response.ok) {
        const answer = { status: response.status, text, isList: call.isList };
        throw answeredWithError(what, answer, progress.token);
      }
      const broken = (why: string) => brokenAnswer(what, why, progress.token);
      const value = parseBody(text, broken);
      return call.read({ value, headers: response.headers, elapsedMs, broken });
    };
    try {
      return await this.#budget.run(send, {
        timeoutMs: attemptTimeoutMs,
        first: progress.attempts > 1 || progress.renewed,
        signal,
      });
    } catch (error) {
      call.reservation?.resize(0);
      const failure =
        error instanceof AttemptTimeoutError ? tookTooLong(what, attemptTimeoutMs) : error;
      // An attempt that the signal cuts ends with the signal's reason, whatever fetch says.
      if (isFailureOfFeed(failure)) progress.failure = failure;
      throw failure;
    }
  }

  async #fetchText(
    call: Call<unknown>,
    progress: Progress,
    attempt: Attempt,
  ): Promise<{ response: Response; text: string }> {
    const what = nameOf(call);
    progress.retryAfterMs = 0;
    try {
      const response = await this.#options.fetch(this.#url(call), {
        ...this.#init(call, progress.token),
        signal: attempt.signal,
      });
      if (!response.ok) this.#heedWait(what, response, progress);
      const inRoom = response.ok && call.reservation;
      const text = await (inRoom ? readInto(inRoom, response, attempt) : response.text());
      return { response, text };
    } catch (error) {
      throw error instanceof PageTooLargeError ? error : noAnswer(what, error, progress.token);
    }
  }

  /** A 429 is meant for the whole client; a wait asked for with another status for this call. */
  #heedWait(what: string, { status, headers }: Response, progress: Progress): void {
    const asked = readRetryAfter(headers, this.#options.clock.now());
    if (status === 429) {
      const pauseMs = Math.min(asked ?? this.#backoff(progress.attempts), LONGEST_PAUSE_MS);
      this.#budget.pause(pauseMs);
      this.#onRateLimited?.({ what, pauseMs });
    } else {
      progress.retryAfterMs = asked ?? 0;
    }
  }

  /** Longest wait before a retry, counted from 1, in milliseconds. */
  #backoff(retry: number): number {
    return this.#options.retryBaseMs * 2 ** (retry - 1);
  }

  #init({ method, headers, body }: Call<unknown>, token: string): RequestInit {
    return {
      method,
      headers: {
        ...this.#headers,
        ...headers,
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      // A redirect would carry the token to another address.
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
    };
  }

  #url({ path, query }: Pick<Call<unknown>, 'path' | 'query'>): string {
    // URLSearchParams encodes the + of an offset, which would arrive as a space otherwise.
    const parameters = new URLSearchParams(query).toString();
    return `${this.#root}${path}${parameters === '' ? '' : `?${parameters}`}`;
  }
}

/** Method and path of a call, for messages. A query in the path is left out. */
function nameOf({ method, path }: Pick<Call<unknown>, 'method' | 'path'>): string {
  return `${method} ${path.split('?', 1)[0] ?? ''}`;
}

function parseBody(text: string, broken: Answer['broken']): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw broken(`the body must be JSON, got ${text === '' ? 'nothing' : text}`);
  }
}
