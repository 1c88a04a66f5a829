import { unlessAborted } from './unless-aborted.ts';

interface Current<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waitingCount: number;
}

/** One call at a time, whose result is shared by all callers that wait for it. */
export class SharedCall<T> {
  #current: Current<T> | undefined;

  /** Whether a call is under way. */
  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Waits for the call that is under way, or makes one.
   *
   * @param call its signal is aborted once its last waiting caller has left.
   * @throws the signal's reason when it is aborted first.
   */
  async join(
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const current = (this.#current ??= begin(call));
    current.waitingCount += 1;
    try {
      return await unlessAborted(current.result, signal);
    } finally {
      current.waitingCount -= 1;
      if (current.waitingCount === 0) {
        current.stop.abort();
        this.#current = undefined;
      }
    }
  }
}

function begin<T>(call: (signal: AbortSignal) => Promise<T>): Current<T> {
  const stop = new AbortController();
  return { result: call(stop.signal), stop, waitingCount: 0 };
}
