import type { Clock } from '../../core/ports/clock.ts';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import { Attempt } from '../shared/attempt.ts';

const MINUTE_MS = 60_000;
/** Minutes after which a rate that was halved once is back at its maximum. */
const RECOVERY_MINUTES = 10;
/** Lowest share of the maximum rate. Pauses that the service requests give further relief. */
const MIN_RATE_SHARE = 0.1;
/** Time in which most requests in flight are answered. */
const IN_FLIGHT_MS = 10_000;

/** Limits of all requests of one client together. */
export interface RequestLimits {
  /** Requests that may start in any 60 seconds, retries included. At least 1. */
  readonly requestsPerMinute: number;
  /** Requests in flight. At least 1. */
  readonly concurrency: number;
  readonly clock: Clock;
}

/** How one request is run. */
export interface RequestOptions {
  /** Time of the request once it has started; it then fails with {@link AttemptTimeoutError}. */
  readonly timeoutMs: number;
  /** Retries start before requests that were not tried yet. */
  readonly isRetry: boolean;
  /** Takes the request out of the queue, or aborts it in flight. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Limits how many requests start in any minute and how many are in flight.
 *
 * The window of a minute slides, so that a run that follows another in the same process cannot spend
 * the minute twice. A 429 pauses all requests for the time the service asks for and halves the rate,
 * which then recovers by a twentieth of its maximum each minute (AIMD): other users of the same limit
 * get capacity at once, and free capacity is found slowly.
 */
export class RequestLimiter {
  readonly #maxPerMinute: number;
  readonly #concurrency: number;
  readonly #clock: Clock;
  /** Start times of the last minute's requests, in order. */
  readonly #startTimes: number[] = [];
  /** Requests that wait, retries first; called to start them. */
  readonly #waitingRetries = new Set<() => void>();
  readonly #waitingRequests = new Set<() => void>();
  #inFlightCount = 0;
  /** When the window lets the next request start. */
  #nextStartAt = 0;
  #pausedUntil = 0;
  #halvedTo: number;
  #halvedAt = 0;
  /** Further 429s are ignored until then: those requests were sent before the rate was halved. */
  #ignores429Until = 0;
  /** Ends the wait for the next start. Set only while a request waits for it. */
  #alarm: AbortController | undefined;

  constructor({ requestsPerMinute, concurrency, clock }: RequestLimits) {
    this.#maxPerMinute = requestsPerMinute;
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#halvedTo = requestsPerMinute;
  }

  /**
   * Sends a request as soon as the limits allow it.
   *
   * @throws the signal's reason once it is aborted, after an aborted request has ended.
   */
  async run<T>(
    send: (attempt: Attempt) => Promise<T>,
    { timeoutMs, isRetry, signal }: RequestOptions,
  ): Promise<T> {
    await this.#waitForTurn(isRetry ? this.#waitingRetries : this.#waitingRequests, signal);
    try {
      const result = await new Attempt(timeoutMs, signal).run(send);
      signal?.throwIfAborted();
      return result;
    } catch (error) {
      // An aborted request rejects with an error of its own.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      this.#inFlightCount -= 1;
      this.#startWaiting();
    }
  }

  /** Holds back all requests and halves the rate, after a 429. The longest of several pauses counts. */
  pause(milliseconds: number): void {
    const now = this.#clock.now();
    if (this.#ignores429Until <= now) {
      this.#halvedTo = Math.max(this.#maxPerMinute * MIN_RATE_SHARE, this.#perMinute(now) / 2);
      this.#halvedAt = now + milliseconds;
      this.#ignores429Until = now + IN_FLIGHT_MS;
    }
    this.#ignores429Until = Math.max(this.#ignores429Until, now + milliseconds);
    this.#pausedUntil = Math.max(this.#pausedUntil, now + milliseconds);
  }

  allowance(withinMs: number): RateAllowance {
    const now = this.#clock.now();
    const perMinute = this.#perMinute(now);
    if (this.#pausedUntil >= now + withinMs) return { requests: 0, perMinute };
    // A request that starts at the end of a minute belongs to the next minute.
    const fullMinutes = Math.max(0, Math.ceil(withinMs / MINUTE_MS) - 1);
    const windowStart = now + withinMs - (fullMinutes + 1) * MINUTE_MS;
    const usedCount = this.#startTimes.length - this.#countStartsUntil(windowStart);
    const requests = fullMinutes * perMinute + Math.max(0, perMinute - usedCount);
    return { requests: Math.max(0, requests - this.#waitingCount), perMinute };
  }

  get #waitingCount(): number {
    return this.#waitingRetries.size + this.#waitingRequests.size;
  }

  /** The current rate: at least 1, so that it can recover. */
  #perMinute(now: number): number {
    const minutes = Math.max(0, now - this.#halvedAt) / MINUTE_MS;
    const recovered = (this.#maxPerMinute / 2 / RECOVERY_MINUTES) * minutes;
    return Math.min(this.#maxPerMinute, Math.max(1, Math.floor(this.#halvedTo + recovered)));
  }

  async #waitForTurn(queue: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    const turn = Promise.withResolvers<undefined>();
    const start = (): void => {
      turn.resolve(undefined);
    };
    const leave = (): void => {
      queue.delete(start);
      this.#startWaiting();
      turn.reject(signal?.reason);
    };
    queue.add(start);
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
    while (this.#inFlightCount < this.#concurrency) {
      const queue = this.#waitingRetries.size > 0 ? this.#waitingRetries : this.#waitingRequests;
      const [start] = queue;
      if (start === undefined) break;
      const now = this.#clock.now();
      const waitMs = Math.max(this.#pausedUntil, this.#nextStartAt) - now;
      if (waitMs > 0) {
        if (this.#alarm === undefined) void this.#startIn(waitMs);
        return;
      }
      queue.delete(start);
      this.#inFlightCount += 1;
      this.#recordStart(now);
      start();
    }
    // No timer remains when no request waits; the pause itself continues.
    if (this.#waitingCount === 0) this.#alarm?.abort();
  }

  async #startIn(milliseconds: number): Promise<void> {
    const alarm = (this.#alarm = new AbortController());
    await this.#clock.sleep(milliseconds, alarm.signal);
    if (this.#alarm === alarm) this.#alarm = undefined;
    this.#startWaiting();
  }

  #recordStart(now: number): void {
    this.#startTimes.splice(0, this.#countStartsUntil(now - MINUTE_MS));
    this.#startTimes.push(now);
    const oldestInRate = this.#startTimes.at(-this.#perMinute(now));
    this.#nextStartAt = oldestInRate === undefined ? now : oldestInRate + MINUTE_MS;
  }

  #countStartsUntil(time: number): number {
    // From the front: recordStart removes old times, so few are passed over.
    const index = this.#startTimes.findIndex((start) => start > time);
    return index === -1 ? this.#startTimes.length : index;
  }
}
