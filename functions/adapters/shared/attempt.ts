/** An attempt exceeded its time. */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
}

/** One attempt of a request, limited in time. */
export class Attempt {
  /** Aborted when the time is up, or by the caller. */
  readonly signal: AbortSignal;
  readonly #timeoutMs: number;
  readonly #timedOut = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    const { signal: timedOut } = this.#timedOut;
    this.signal = signal ? AbortSignal.any([signal, timedOut]) : timedOut;
  }

  /** @throws AttemptTimeoutError when the time is up before the work has ended. */
  async run<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
    this.#startTimer();
    try {
      return await work(this);
    } catch (error) {
      // An aborted call rejects with an error of its own.
      throw this.#timedOut.signal.aborted ? new AttemptTimeoutError() : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Waits with the timer stopped, and restarts it: the service is not to blame for this wait. */
  async untimed<T>(waiting: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const result = await waiting;
    this.#startTimer();
    return result;
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#timedOut.abort();
    }, this.#timeoutMs);
  }
}
