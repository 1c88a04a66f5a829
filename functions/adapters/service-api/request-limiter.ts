import PQueue from 'p-queue';
import type { RateAllowance } from '../../core/ports/service-api.ts';
import { Attempt } from './attempt.ts';
import { RequestRate } from './adaptive-rate.ts';
import { type Clock } from '../../core/ports/clock.ts';

/** How fast requests may follow each other. */
export interface BudgetOptions {
  /** Requests that may start in any 60 seconds, retries included. At least 1. */
  readonly requestsPerMinute: number;
  /** Requests that may be under way at once. At least 1. */
  readonly concurrency: number;
  /** Time for pauses. */
  readonly clock: Clock;
}

/** Milliseconds in which what was under way is answered, most of it. */
const IN_FLIGHT_MS = 10_000;

/** How one request wants to be run. */
export interface RunOptions {
  /** Milliseconds it may take once it has started; then it fails with {@link AttemptTimeoutError}. */
  readonly timeoutMs: number;
  /** Starts before requests that wait with `first` false. */
  readonly first: boolean;
  /** Takes the request out of the queue, or aborts it under way. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The request budget that all requests of a client share. The window slides over 60 seconds, so a
 * run that follows another in the same process cannot spend the minute twice. A pause holds back
 * every request that has not started, and after it they are fewer, see {@link RequestRate}.
 */
export class RequestBudget {
  readonly #queue: PQueue;
  readonly #clock: Clock;
  readonly #rate: RequestRate;
  /** End of the pause, in milliseconds since 1970. */
  #pausedUntil = 0;
  /** Until then a refusal says nothing new: what is refused was sent before the rate was halved. */
  #halvedOnceUntil = 0;
  /** Ends the wait for the end of the pause. Set only while a request waits for it. */
  #waiting: AbortController | undefined;

  constructor(options: BudgetOptions) {
    this.#clock = options.clock;
    this.#rate = new RequestRate(options.requestsPerMinute);
    this.#queue = new PQueue({
      interval: 60_000,
      intervalCap: options.requestsPerMinute,
      strict: true,
      concurrency: options.concurrency,
    });
  }

  /**
   * Runs a request when the budget allows. Rejects with the signal's reason once it is aborted, and what
   * was cut off has ended.
   */
  async run<T>(send: (attempt: Attempt) => Promise<T>, options: RunOptions): Promise<T> {
    const { signal, timeoutMs } = options;
    let end: (() => void) | undefined;
    try {
      end = await this.#turn(options);
      const result = await new Attempt(timeoutMs, signal).run(send);
      signal?.throwIfAborted();
      return result;
    } catch (error) {
      // Whatever was cut off has its own words for it.
      throw signal?.aborted ? signal.reason : error;
    } finally {
      end?.();
      if (this.#queue.size === 0) this.#stopWaiting();
    }
  }

  /**
   * Waits until a request may start. The queue passes turns, and never sees what requests yield: what it
   * has dropped would still hold pages, until the next full collection of garbage.
   *
   * @returns ends the turn.
   */
  async #turn({ first, signal }: RunOptions): Promise<() => void> {
    const [begun, over] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const begin = (): Promise<undefined> => {
      this.#holdUntil(this.#rate.begin(this.#clock.now()));
      begun.resolve(undefined);
      return over.promise;
    };
    const taken = this.#queue.add(begin, { priority: first ? 1 : 0, ...(signal && { signal }) });
    if (this.#queue.isPaused && this.#waiting === undefined) void this.#resumeInTime();
    // It rejects when the signal is aborted, be it in the queue or under way.
    await Promise.race([begun.promise, taken]);
    return () => {
      over.resolve(undefined);
    };
  }

  /**
   * Starts no request for some milliseconds, and fewer after that: the service has said that there
   * were too many. The longest of several pauses counts.
   */
  pause(milliseconds: number): void {
    const now = this.#clock.now();
    // What was under way together is refused together.
    if (this.#halvedOnceUntil <= now) {
      this.#rate.halve(now, milliseconds);
      this.#halvedOnceUntil = now + IN_FLIGHT_MS;
    }
    this.#halvedOnceUntil = Math.max(this.#halvedOnceUntil, now + milliseconds);
    this.#holdUntil(now + milliseconds);
  }

  /** See the port. */
  allowance(withinMs: number): RateAllowance {
    const now = this.#clock.now();
    const isPaused = this.#pausedUntil >= now + withinMs;
    const requests = isPaused ? 0 : this.#rate.left(now, withinMs) - this.#queue.size;
    return { requests: Math.max(0, requests), perMinute: this.#rate.perMinute(now) };
  }

  #holdUntil(time: number): void {
    if (time <= this.#clock.now()) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
    this.#queue.pause();
    if (this.#waiting === undefined) void this.#resumeInTime();
  }

  async #resumeInTime(): Promise<void> {
    const waiting = new AbortController();
    this.#waiting = waiting;
    for (;;) {
      const rest = this.#pausedUntil - this.#clock.now();
      if (rest <= 0) break;
      await this.#clock.sleep(rest, waiting.signal);
      if (waiting.signal.aborted) return;
    }
    this.#waiting = undefined;
    this.#queue.start();
  }

  /** Leaves no timer behind when nobody waits. The pause itself goes on. */
  #stopWaiting(): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
  }
}
