import { RateLimitedError } from '../../core/model/errors.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import { Attempt } from '../shared/attempt.ts';
import type { ServiceApiOptions } from './options.ts';
import { RequestRate } from './request-rate.ts';

/** Time without an answer after which the access token may have expired. */
const IDLE_MS = 30_000;

/** Limits of all requests of one client together, each at least 1. */
export type RequestLimits = Required<
  Pick<ServiceApiOptions, 'requestsPerMinute' | 'concurrency' | 'retryBaseMs' | 'clock'>
>;

/** How one request is run. */
export interface RequestOptions {
  /** Time of the request once it has started; it then fails with {@link AttemptTimeoutError}. */
  readonly timeoutMs: number;
  /** Retries start before requests that were not tried yet. */
  readonly isRetry: boolean;
  /** See {@link PageRequest.startBefore}. */
  readonly startBefore?: number | undefined;
  /** Takes the request out of the queue, or aborts it in flight. */
  readonly signal: AbortSignal | undefined;
}

/** A request that waits for its turn. */
interface Waiting {
  readonly startBefore: number;
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Limits how many requests start in any minute, see {@link RequestRate}, and how many are in flight.
 *
 * At first, and after a time without answers, as many requests are in flight as the budget allows in a
 * second; after a refusal (401, 429) one. Each answer allows one more. So a small budget is not spent on
 * requests that are refused together.
 */
export class RequestLimiter {
  readonly #rate: RequestRate;
  readonly #concurrency: number;
  /** Requests in flight while it is not known whether the service accepts any. */
  readonly #cautiousSlots: number;
  readonly #clock: Clock;
  /** Requests that wait, retries first. */
  readonly #waitingRetries = new Set<Waiting>();
  readonly #waitingRequests = new Set<Waiting>();
  #inFlightCount = 0;
  /** Requests that may be in flight now. */
  #slots: number;
  #slowdownCount = 0;
  #answeredAt = -Infinity;
  /** Ends the wait for the next start. Set only while a request waits for it. */
  #alarm: AbortController | undefined;

  constructor({ requestsPerMinute, concurrency, retryBaseMs, clock }: RequestLimits) {
    this.#rate = new RequestRate(requestsPerMinute, retryBaseMs);
    this.#concurrency = concurrency;
    this.#cautiousSlots = Math.min(concurrency, Math.max(1, Math.floor(requestsPerMinute / 60)));
    this.#slots = this.#cautiousSlots;
    this.#clock = clock;
  }

  /**
   * Sends a request as soon as the limits allow it.
   *
   * @throws the signal's reason once it is aborted, after an aborted request has ended.
   */
  async run<T>(
    send: (attempt: Attempt) => Promise<T>,
    { timeoutMs, isRetry, startBefore = Infinity, signal }: RequestOptions,
  ): Promise<T> {
    const queue = isRetry ? this.#waitingRetries : this.#waitingRequests;
    await this.#waitForTurn(queue, startBefore, signal);
    const slowdownCount = this.#slowdownCount;
    try {
      const result = await new Attempt(timeoutMs, signal).run(send);
      signal?.throwIfAborted();
      return result;
    } catch (error) {
      // An aborted request rejects with an error of its own.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      this.#inFlightCount -= 1;
      this.#answeredAt = this.#clock.now();
      // Otherwise this request, or one that was sent after it, was refused.
      if (slowdownCount === this.#slowdownCount) {
        this.#slots = Math.min(this.#concurrency, this.#slots + 1);
        this.#rate.countAnswer();
      }
      this.#startWaiting();
    }
  }

  /** Lets one request at a time start, until it is answered. */
  slowDown(): void {
    this.#slots = 1;
    this.#slowdownCount += 1;
  }

  /**
   * Holds back all requests and halves the rate, after a 429.
   *
   * @param requestedMs absent: longer with each refusal in a row.
   * @returns the time of the pause.
   */
  pause(requestedMs: number | undefined): number {
    this.slowDown();
    return this.#rate.pause(requestedMs, this.#clock.now());
  }

  /** Halves the rate, after a 429 that holds back nothing. */
  halveRate(): void {
    this.slowDown();
    this.#rate.halve(this.#clock.now());
  }

  allowance(withinMs: number): RateAllowance {
    return this.#rate.allowance(withinMs, this.#waitingCount, this.#clock.now());
  }

  /** Counts a request that starts now without waiting for its turn. */
  countStart(): void {
    this.#rate.countStart(this.#clock.now());
  }

  /** See {@link ServiceApi.recentRequests}. */
  recentRequests(): string {
    return this.#rate.recentRequests(this.#clock.now());
  }

  /** See {@link ServiceApi.resume}. */
  resume(recentRequests: string): void {
    this.#rate.resume(recentRequests, this.#clock.now());
  }

  get #waitingCount(): number {
    return this.#waitingRetries.size + this.#waitingRequests.size;
  }

  async #waitForTurn(
    queue: Set<Waiting>,
    startBefore: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const turn = Promise.withResolvers<undefined>();
    const waiting: Waiting = {
      startBefore,
      start: () => {
        turn.resolve(undefined);
      },
      fail: turn.reject,
    };
    const leave = (): void => {
      queue.delete(waiting);
      this.#startWaiting();
      turn.reject(signal?.reason);
    };
    queue.add(waiting);
    signal?.addEventListener('abort', leave);
    this.#startWaiting();
    try {
      await turn.promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  /** Starts waiting requests as far as the limits allow, and sets a timer for the others. */
  #startWaiting(): void {
    const now = this.#clock.now();
    const isIdle = this.#inFlightCount === 0 && now - this.#answeredAt > IDLE_MS;
    if (isIdle) this.#slots = Math.min(this.#slots, this.#cautiousSlots);
    while (this.#inFlightCount < this.#slots) {
      const queue = this.#waitingRetries.size > 0 ? this.#waitingRetries : this.#waitingRequests;
      const [next] = queue;
      if (next === undefined) break;
      const startsAt = this.#rate.nextStartAt;
      if (startsAt > now) {
        this.#failThoseTooLate(startsAt);
        if (this.#alarm === undefined && this.#waitingCount > 0) void this.#startIn(startsAt - now);
        break;
      }
      queue.delete(next);
      this.#inFlightCount += 1;
      this.#rate.countStart(now);
      next.start();
    }
    // No timer remains when no request waits; the pause itself continues.
    if (this.#waitingCount === 0) this.#alarm?.abort();
  }

  /** Fails the requests that could only wait until their time is over. */
  #failThoseTooLate(startsAt: number): void {
    for (const queue of [this.#waitingRetries, this.#waitingRequests]) {
      for (const waiting of queue) {
        if (startsAt < waiting.startBefore) continue;
        queue.delete(waiting);
        waiting.fail(
          new RateLimitedError('A request was not sent: the request budget is spent', {
            hint: 'The next run continues. Raise requestsPerMinute if you may.',
          }),
        );
      }
    }
  }

  async #startIn(milliseconds: number): Promise<void> {
    const alarm = (this.#alarm = new AbortController());
    await this.#clock.sleep(milliseconds, alarm.signal);
    if (this.#alarm === alarm) this.#alarm = undefined;
    this.#startWaiting();
  }
}
