/** An attempt took longer than it may. */
export class AttemptTimeoutError extends Error {
  override readonly name = 'AttemptTimeoutError';
}

/** One attempt under way, and its time. */
export class Attempt {
  /** Aborted when the time is up, or by the caller. */
  readonly signal: AbortSignal;
  readonly #timeoutMs: number;
  readonly #timedOut = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    this.#timeoutMs = timeoutMs;
    const { signal: own } = this.#timedOut;
    this.signal = signal ? AbortSignal.any([signal, own]) : own;
  }

  /** Does the work of the attempt. @throws AttemptTimeoutError when its time was up before it had ended. */
  async run<T>(work: (attempt: Attempt) => Promise<T>): Promise<T> {
    this.#start();
    try {
      return await work(this);
    } catch (error) {
      // Whatever was cut off has its own words for it.
      throw this.#timedOut.signal.aborted ? new AttemptTimeoutError() : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Waits for what is not the service's fault: its time stands still, and begins anew after that. */
  async untimed<T>(waiting: Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    const result = await waiting;
    this.#start();
    return result;
  }

  #start(): void {
    this.#timer = setTimeout(() => {
      this.#timedOut.abort();
    }, this.#timeoutMs);
  }
}
