import { RateLimitedError, FeedError, ServiceError } from '../../core/model/errors.ts';
import { AttemptTimeoutError, type Attempt } from '../shared/attempt.ts';
import { exchange, NoAnswerError, saidBy, type HttpAnswer } from '../shared/http-exchange.ts';
import { readStart } from '../shared/read-start.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { retry, type RetryEnvironment, type RetryPolicy } from '../shared/retry.ts';
import { initOf, nameOf, pathOf, type Call, type CommonHeaders } from './call.ts';
import type { ServiceApiOptions } from './options.ts';
import { parseBody } from './parse-page.ts';
import { readBody } from './read-body.ts';
import { RequestLimiter } from './request-limiter.ts';
import {
  brokenAnswerError,
  isRetryable,
  mayMeanTokenEnded,
  noAnswerError,
  statusError,
  timeoutError,
} from './response-errors.ts';
import { TokenRenewal } from './token-renewal.ts';

/** Longest wait between two tries unless the service requests more. */
const MAX_DELAY_MS = 5_000;

/** Bytes of a body unless a caller has less memory: it takes 1 GB once it is parsed. */
const MAX_BODY_BYTES = 64e6;

/** Bytes of an error answer that are read; its start is quoted. */
const MAX_ERROR_BYTES = 65_536;

const TOO_MANY_REQUESTS = 429;

/** State of a call across its attempts. */
interface Progress {
  /** Whether the next request repeats one. */
  isRetry: boolean;
  /** Token of the last attempt. */
  token: string;
  /** Error of the last attempt that failed. */
  failure: FeedError | undefined;
}

/** An answer, and the time from sending the request to its end. */
interface TimedAnswer extends HttpAnswer {
  readonly elapsedMs: number;
}

/**
 * Sends calls with a token, within the request limits, each attempt in its time, and retries them.
 */
export class Transport {
  readonly limiter: RequestLimiter;
  readonly #options: Required<
    Omit<ServiceApiOptions, 'onRateLimited' | 'onSmallPage' | 'serviceVersion' | 'headers'>
  >;
  readonly #onRateLimited: ServiceApiOptions['onRateLimited'];
  readonly #headers: CommonHeaders;
  readonly #root: string;
  readonly #tokenRenewal: TokenRenewal;
  readonly #retryPolicy: RetryPolicy;
  readonly #retryEnvironment: RetryEnvironment;

  constructor({ onRateLimited, serviceVersion, headers = {}, ...options }: ServiceApiOptions) {
    this.#options = {
      concurrency: 8,
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 10_000,
      maxBodyBytes: MAX_BODY_BYTES,
      fetch: globalThis.fetch,
      onRequest: () => undefined,
      ...options,
    };
    const { accessTokens, clock, tries, retryBaseMs } = this.#options;
    this.#onRateLimited = onRateLimited;
    const { version = 'Service-Version', perPage = 'Service-Per-Page', extra } = headers;
    const pinned = serviceVersion !== undefined && { [version]: serviceVersion };
    this.#headers = { common: { ...extra, accept: 'application/json', ...pinned }, perPage };
    this.#root = `${options.baseUrl.replace(/\/+$/, '')}/api/v3`;
    this.limiter = new RequestLimiter(this.#options, clock);
    this.#tokenRenewal = new TokenRenewal(accessTokens, clock);
    this.#retryPolicy = { maxTries: tries, baseDelayMs: retryBaseMs, maxDelayMs: MAX_DELAY_MS };
    this.#retryEnvironment = {
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
      random: Math.random,
    };
  }

  /**
   * Sends a call. Rejects as the port says: once the signal is aborted, or the limits allow no
   * further attempt in time, with the error of the last attempt that failed, so that a list whose
   * retries outlast every run backs off.
   */
  async send<T>(call: Call<T>, signal?: AbortSignal): Promise<T> {
    const progress: Progress = { isRetry: false, token: '', failure: undefined };
    const options = {
      ...this.#retryPolicy,
      isRetryable,
      retryAfterMs: requestedWait,
      // The core backs the feed off instead.
      maxRetryAfterMs: this.#options.maxWaitMs,
      signal,
    };
    try {
      const attempt = () => this.#attempt(call, progress, signal);
      return await retry(attempt, options, this.#retryEnvironment);
    } catch (error) {
      if (signal?.aborted) throw progress.failure ?? signal.reason;
      throw error instanceof RateLimitedError ? (progress.failure ?? error) : error;
    }
  }

  /**
   * One attempt, and a second one with another token if the first may have failed since its token
   * has ended.
   */
  async #attempt<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await this.#sendOnce(call, progress, signal);
    } catch (error) {
      if (signal?.aborted || !mayMeanTokenEnded(error, call.isList)) throw error;
      // The end of a token is no failure of the list.
      progress.failure = undefined;
      const isRenewed = await this.#tokenRenewal.renew(call.path, progress.token, signal);
      if (isRenewed) return this.#sendOnce(call, progress, signal);
      progress.failure = error;
      throw error;
    }
  }

  /** Waits for its turn, sends the request, and reads the answer. */
  async #sendOnce<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { accessTokens, attemptTimeoutMs: timeoutMs, clock } = this.#options;
    // An exchange of tokens must count neither as the start of the request nor towards its time.
    await accessTokens.get(signal);
    const send = async (attempt: Attempt): Promise<TimedAnswer> => {
      // The token may have been renewed while the request waited for its turn.
      progress.token = await attempt.untimed(accessTokens.get(attempt.signal));
      const sinceSent = clock.stopwatch();
      const answer = await this.#fetch(call, progress, attempt);
      return { ...answer, elapsedMs: sinceSent() };
    };
    try {
      const { startBefore } = call;
      const answer = await this.limiter.run(send, { timeoutMs, startBefore, signal });
      const result = this.#read(call, answer);
      this.#tokenRenewal.noteRead(call.path, progress.token);
      return result;
    } catch (error) {
      const isTimeout = error instanceof AttemptTimeoutError;
      const failure = isTimeout ? timeoutError(nameOf(call), timeoutMs, call.isList) : error;
      if (failure instanceof FeedError) progress.failure = failure;
      throw failure;
    }
  }

  /** @throws the error that the answer is. */
  #read<T>(call: Call<T>, answer: TimedAnswer): T {
    const operation = nameOf(call);
    const { ok, status, headers, text, elapsedMs } = answer;
    if (!ok) {
      const retryAfterMs = readRetryAfter(answer, this.#options.clock.now()) ?? 0;
      const said = saidBy(status, headers.get('location'), text);
      throw statusError(operation, { status, text: said, isList: call.isList, retryAfterMs });
    }
    const broken = (reason: string) => brokenAnswerError(operation, reason, text);
    const value = status === 204 ? null : parseBody(text, broken);
    return call.read({ status, value, headers, elapsedMs, broken });
  }

  async #fetch(call: Call<unknown>, progress: Progress, attempt: Attempt): Promise<HttpAnswer> {
    const { fetch, onRequest, maxBodyBytes } = this.#options;
    const init = { ...initOf(call, progress.token, this.#headers), signal: attempt.signal };
    onRequest(progress.isRetry);
    progress.isRetry = true;
    try {
      return await exchange(fetch, this.#root + pathOf(call), init, (response) => {
        if (response.status === TOO_MANY_REQUESTS) this.#pause(call, response);
        if (!response.ok) return readStart(response, MAX_ERROR_BYTES);
        const broken = (reason: string, start: string) =>
          brokenAnswerError(nameOf(call), reason, start);
        return readBody(response, maxBodyBytes, broken);
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw noAnswerError(nameOf(call), error);
    }
  }

  /** A 429 concerns all requests: the service counts them together. */
  #pause(call: Call<unknown>, response: Response): void {
    const requestedMs = readRetryAfter(response, this.#options.clock.now());
    const pauseMs = this.limiter.pause(requestedMs);
    this.#onRateLimited?.({ operation: nameOf(call), pauseMs });
  }
}

/**
 * The wait that the service requests before the next try. After a 429 all requests pause instead.
 */
function requestedWait(error: unknown): number {
  if (!(error instanceof ServiceError) || error.status === TOO_MANY_REQUESTS) return 0;
  return error.retryAfterMs;
}
