import PQueue from 'p-queue';
import type { Clock } from '../../core/ports.ts';

/** How fast requests may follow each other. */
export interface BudgetOptions {
  /** Requests that may start in any 60 seconds, retries included. At least 1. */
  readonly requestsPerMinute: number;
  /** Requests that may be under way at once. At least 1. */
  readonly concurrency: number;
  /** Time for pauses. */
  readonly clock: Clock;
}

/** How one request wants to be run. */
export interface RunOptions {
  /** Milliseconds it may take once it has started; then it is aborted with p-queue's TimeoutError. */
  readonly timeoutMs: number;
  /** Starts before requests that wait with `first` false. */
  readonly first: boolean;
  /** Takes the request out of the queue, or aborts it under way. */
  readonly signal: AbortSignal | undefined;
}

/**
 * The request budget that all requests of a client share. The window slides over 60 seconds, so a
 * run that follows another in the same process cannot spend the minute twice. A pause holds back
 * every request that has not started.
 */
export class RequestBudget {
  readonly #queue: PQueue;
  readonly #clock: Clock;
  /** End of the pause, in milliseconds since 1970. */
  #pausedUntil = 0;
  /** Ends the wait for the end of the pause. Set only while a request waits for it. */
  #waiting: AbortController | undefined;

  constructor(options: BudgetOptions) {
    this.#clock = options.clock;
    this.#queue = new PQueue({
      interval: 60_000,
      intervalCap: options.requestsPerMinute,
      strict: true,
      concurrency: options.concurrency,
    });
  }

  /** Runs a request when the budget allows. Rejects with the signal's reason once it is aborted. */
  async run<T>(send: (signal: AbortSignal) => Promise<T>, options: RunOptions): Promise<T> {
    const { signal, timeoutMs } = options;
    // p-queue joins its time-out and our signal into one, which is there since there is a time-out.
    const added = this.#queue.add(({ signal: own }) => send(own ?? AbortSignal.abort()), {
      timeout: timeoutMs,
      priority: options.first ? 1 : 0,
      ...(signal && { signal }),
    });
    if (this.#queue.isPaused && this.#waiting === undefined) void this.#resumeInTime();
    try {
      return await added;
    } finally {
      if (this.#queue.size === 0) this.#stopWaiting();
    }
  }

  /** Starts no request for some milliseconds. The longest of several pauses counts. */
  pause(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#clock.now() + milliseconds);
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
