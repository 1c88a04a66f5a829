import type { Clock } from '../ports/clock.ts';

/** The reason with which polls and jobs end because their time is up. */
export class DeadlineReachedError extends Error {
  override readonly name = 'DeadlineReachedError';
}

interface RunTimeOptions {
  /** Time until the run is killed. */
  readonly remainingMs: () => number;
  /** A run stops when only this much of its time remains, so that it can finish its pages. */
  readonly reserveMs: number;
}

/** The time of a run, and of its parts. */
export class RunTime {
  readonly #clock: Clock;
  readonly #options: RunTimeOptions;
  readonly #stopping = new AbortController();
  readonly #over = new AbortController();

  constructor(clock: Clock, options: RunTimeOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#abortAt(this.endsAt, this.#stopping, this.#over.signal);
  }

  /** Time until the run must stop. */
  leftMs(): number {
    return this.#options.remainingMs() - this.#options.reserveMs;
  }

  /** When the run must stop, in milliseconds since 1970. */
  get endsAt(): number {
    return this.#clock.now() + this.leftMs();
  }

  /** Aborted when the run must stop. Pages in process are completed. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Stops the run, which cannot continue. */
  stop(reason: Error): void {
    this.#stopping.abort(reason);
  }

  /** Frees the timer. Call it when the run has ended. */
  end(): void {
    this.#over.abort();
  }

  /** Works with a signal that is aborted at a time, or when the run must stop. */
  async until<T>(time: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const done = new AbortController();
    this.#abortAt(time, ending, done.signal);
    try {
      return await work(AbortSignal.any([this.signal, ending.signal]));
    } finally {
      done.abort();
    }
  }

  #abortAt(time: number, ending: AbortController, done: AbortSignal): void {
    void this.#clock.sleep(time - this.#clock.now(), done).then(() => {
      ending.abort(new DeadlineReachedError('The time of the run is nearly up'));
    });
  }
}
