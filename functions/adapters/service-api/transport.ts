import { RateLimitedError, ServiceError, type FeedError } from '../../core/model/errors.ts';
import { AttemptTimeoutError, type Attempt } from '../shared/attempt.ts';
import { exchange, NoAnswerError, saidBy, type HttpAnswer } from '../shared/http-exchange.ts';
import { readStart } from '../shared/read-start.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { retry, type RetryEnvironment, type RetryPolicy } from '../shared/retry.ts';
import {
  initOf,
  isRetry,
  nameOf,
  newProgress,
  pathOf,
  type Call,
  type CommonHeaders,
  type Progress,
} from './call.ts';
import { FIXED_RESERVATION } from './fixed-reservation.ts';
import { KNOWN_MS, LimitCheck } from './limit-check.ts';
import type { ServiceApiOptions } from './options.ts';
import { parseBody } from './parse-page.ts';
import { readBody } from './read-body.ts';
import { RequestLimiter } from './request-limiter.ts';
import {
  brokenAnswerError,
  isFailureOfFeed,
  isRetryable,
  isUnauthorized,
  noAnswerError,
  ownRefusalError,
  statusError,
  timeoutError,
} from './response-errors.ts';
import { TokenCheck } from './token-check.ts';

/** Longest wait between two tries unless the service requests more. */
const MAX_DELAY_MS = 5_000;

/** Bytes of an error answer that are read; its start is quoted. */
const MAX_ERROR_BYTES = 65_536;

/** Sends calls with a token, within the request limits, each attempt in its time, and retries them. */
export class Transport {
  readonly #options: Required<
    Omit<ServiceApiOptions, 'onRateLimited' | 'serviceVersion' | 'headers'>
  >;
  readonly #onRateLimited: ServiceApiOptions['onRateLimited'];
  readonly #headers: CommonHeaders;
  readonly #root: string;
  readonly limiter: RequestLimiter;
  readonly #tokenCheck: TokenCheck;
  readonly #limitCheck: LimitCheck;
  readonly #retryPolicy: RetryPolicy;
  readonly #retryEnvironment: RetryEnvironment;

  constructor({ onRateLimited, serviceVersion, headers = {}, ...options }: ServiceApiOptions) {
    this.#options = {
      concurrency: 8,
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 10_000,
      fetch: globalThis.fetch,
      onRequest: () => undefined,
      ...options,
    };
    const { clock, tries, retryBaseMs } = this.#options;
    this.#onRateLimited = onRateLimited;
    const { version = 'Service-Version', perPage = 'Service-Per-Page', extra } = headers;
    const pinned = serviceVersion !== undefined && { [version]: serviceVersion };
    this.#headers = { common: { ...extra, accept: 'application/json', ...pinned }, perPage };
    this.#root = `${options.baseUrl.replace(/\/+$/, '')}/api/v3`;
    this.limiter = new RequestLimiter(this.#options);
    const { limiter } = this;
    const exchange = this.#exchange.bind(this);
    this.#tokenCheck = new TokenCheck({ ...this.#options, limiter, exchange });
    this.#limitCheck = new LimitCheck({ ...this.#options, limiter, exchange });
    this.#retryPolicy = { maxTries: tries, baseDelayMs: retryBaseMs, maxDelayMs: MAX_DELAY_MS };
    this.#retryEnvironment = {
      sleep: (milliseconds, signal) => clock.sleep(milliseconds, signal),
      random: Math.random,
    };
  }

  /**
   * Sends a call. Rejects as the port says. Once the signal is aborted it rejects with the error of the
   * last failed attempt, so that a feed whose retries outlast every run backs off. A rate limit, and an
   * attempt that the signal aborted, are not such failures: without one, the signal's reason counts.
   */
  async send<T>(call: Call<T>, signal?: AbortSignal): Promise<T> {
    const progress = newProgress(signal);
    const options = {
      ...this.#retryPolicy,
      isRetryable: (error: unknown) =>
        // It may have been answered by chance, and not the samples.
        !(progress.hasOwnLimit && isLimit(error) && progress.attemptCount > 1) &&
        // The clocks of the service's machines differ: they may not agree yet whether a token is valid.
        (isRetryable(error) || (isUnauthorized(error) && progress.attemptCount === 1)),
      retryAfterMs: () => progress.retryAfterMs ?? 0,
      // The core backs the feed off instead.
      maxRetryAfterMs: this.#options.maxWaitMs,
      signal,
    };
    try {
      const attempt = () => this.#attempt(call, progress, signal);
      return await retry(attempt, options, this.#retryEnvironment);
    } catch (error) {
      if (signal?.aborted) throw progress.failure ?? signal.reason;
      const isCommon = progress.isLimited && !progress.hasOwnLimit;
      if (!isCommon || !isLimit(error)) throw lastFailure(error, progress);
      throw new RateLimitedError(error.message, { hint: error.hint, isAnswer: true });
    }
  }

  /**
   * One attempt, and a second one with a renewed token if the token had expired. A 401 that remains is a failure of the
   * list, and so is a 429 if others are answered.
   */
  async #attempt<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    progress.attemptCount += 1;
    const { isRenewed } = progress;
    try {
      return await this.#sendOnce(call, progress, signal).catch(async (error: unknown) => {
        await this.#tokenCheck.end(progress, signal);
        if (isRenewed || !progress.isRenewed) throw error;
        return this.#sendOnce(call, progress, signal);
      });
    } catch (error) {
      if (progress.limitCheck) await this.#endLimitCheck(call, progress, progress.limitCheck);
      if (!isUnauthorized(error)) throw error;
      const isOwn = this.#tokenCheck.evidence.isAccepted(progress.token);
      progress.failure = isOwn ? ownRefusalError(error) : error;
      throw progress.failure;
    }
  }

  /** Waits for its turn, sends the request, and reads the answer. */
  async #sendOnce<T>(
    call: Call<T>,
    progress: Progress,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { accessTokens, attemptTimeoutMs, clock } = this.#options;
    const operation = nameOf(call);
    // An exchange of tokens must not count towards the attempt's time.
    await accessTokens.get(signal);
    let refusal: FeedError | undefined;
    const send = async (attempt: Attempt): Promise<T> => {
      // The token may have been renewed while the request waited for its turn.
      progress.token = await attempt.untimed(accessTokens.get(attempt.signal));
      progress.order = this.#tokenCheck.evidence.nextOrder();
      const sinceSent = clock.stopwatch();
      const { ok, status, headers, text } = await this.#exchange(call, progress, attempt);
      const elapsedMs = sinceSent();
      if (!ok) {
        if (status === 401) await this.#tokenCheck.begin(call, progress, attempt, signal);
        const { isList } = call;
        const { retryAfterMs = 0 } = progress;
        const said = saidBy(status, headers.get('location'), text);
        const answer = { status, text: said, isList, retryAfterMs };
        refusal = statusError(operation, answer);
        throw refusal;
      }
      const broken = (reason: string) => brokenAnswerError(operation, reason, text);
      const value = status === 204 ? null : parseBody(text, broken);
      return call.read({ status, value, headers, elapsedMs, broken });
    };
    try {
      return await this.limiter.run(send, {
        timeoutMs: attemptTimeoutMs,
        isRetry: isRetry(progress),
        startBefore: call.startBefore,
        signal,
      });
    } catch (error) {
      call.reservation?.resize(0);
      // The time also ends in the body of an error: its status counts.
      const failure =
        error instanceof AttemptTimeoutError
          ? (refusal ?? timeoutError(operation, attemptTimeoutMs, call.isList))
          : error;
      if (isFailureOfFeed(failure)) progress.failure = failure;
      throw failure;
    }
  }

  async #exchange(call: Call<unknown>, progress: Progress, attempt: Attempt): Promise<HttpAnswer> {
    const { fetch, onRequest } = this.#options;
    const init = { ...initOf(call, progress.token, this.#headers), signal: attempt.signal };
    progress.retryAfterMs = undefined;
    onRequest(isRetry(progress));
    try {
      return await exchange(fetch, this.#root + pathOf(call), init, (response) => {
        if (!response.ok) {
          this.#heedRetryAfter(call, response, progress);
        } else {
          this.#tokenCheck.evidence.accept(call, progress);
          if (!call.isSample) this.#limitCheck.noteAnswer();
        }
        if (!response.ok || call.isSample) return readStart(response, MAX_ERROR_BYTES);
        const broken = (reason: string, start: string) =>
          brokenAnswerError(nameOf(call), reason, start);
        return readBody(call.reservation ?? FIXED_RESERVATION, response, attempt, broken);
      });
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw noAnswerError(nameOf(call), error);
    }
  }

  /**
   * A 429 pauses the whole client, unless samples may show that the limit is that of this list; `Retry-After` with
   * another status concerns this call only.
   */
  #heedRetryAfter(call: Call<unknown>, response: Response, progress: Progress): void {
    progress.retryAfterMs = readRetryAfter(response, this.#options.clock.now());
    if (response.status !== 429) return;
    const isKnown = this.#limitCheck.isKnownCommon();
    const samples = isKnown ? [] : (call.samples?.() ?? []);
    if (samples.length === 0) {
      this.#pause(call, progress, isKnown);
      return;
    }
    this.limiter.slowDown();
    // They wait for their turn from now on, before requests that were not tried yet.
    progress.limitCheck = this.#limitCheck.isCommon(samples, call.startBefore, progress.signal);
    // It is awaited once the attempt has ended.
    progress.limitCheck.catch(() => undefined);
  }

  /** Finds out whether a 429 concerns its call alone. Otherwise all requests pause. */
  async #endLimitCheck(
    call: Call<unknown>,
    progress: Progress,
    check: Promise<boolean>,
  ): Promise<void> {
    progress.limitCheck = undefined;
    progress.hasOwnLimit = !(await check);
    if (!progress.hasOwnLimit) this.#pause(call, progress, true);
    // Samples are sent one at a time: requests may be too many at once.
    else if (!call.wasLimited) this.limiter.halveRate();
  }

  /**
   * @param isCommon whether others are limited, too. A sample tells for how long: what this list is told may concern it
   *   alone, and is heeded until samples are sent again.
   */
  #pause(call: Call<unknown>, progress: Progress, isCommon: boolean): void {
    progress.isLimited = true;
    progress.hasOwnLimit = false;
    const { retryAfterMs } = progress;
    const pauseMs = this.limiter.pause(
      isCommon && retryAfterMs !== undefined ? Math.min(retryAfterMs, KNOWN_MS) : retryAfterMs,
    );
    progress.retryAfterMs = undefined;
    this.#onRateLimited?.({ operation: nameOf(call), pauseMs });
  }
}

/** The failure of a list whose next try the budget does not allow: without one, it would never back off. */
function lastFailure(error: unknown, { failure }: Progress): unknown {
  return error instanceof RateLimitedError && failure !== undefined ? failure : error;
}

/** Whether the service answered with 429, or the pause after that outlasts the run. */
function isLimit(error: unknown): error is ServiceError | RateLimitedError {
  return (
    error instanceof RateLimitedError || (error instanceof ServiceError && error.status === 429)
  );
}
