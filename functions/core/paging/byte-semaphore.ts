/** Bytes that are held of a {@link ByteSemaphore}. */
export interface Permit {
  /** Corrects the held bytes to the real size. The total may exceed the budget then. */
  resize(bytes: number): void;
}

interface Waiter {
  readonly bytes: number;
  readonly grant: (permit: Permit) => void;
}

/**
 * A weighted semaphore: bounds the bytes that are held at once.
 *
 * Grants in order of arrival, even if a later and smaller request would fit, so no request starves. A
 * request larger than the budget is granted when nothing else is held.
 */
export class ByteSemaphore {
  readonly #budget: number;
  #held = 0;
  readonly #waiters = new Set<Waiter>();

  constructor(budget: number) {
    this.#budget = budget;
  }

  get held(): number {
    return this.#held;
  }

  /**
   * Waits until the bytes fit, and holds them.
   *
   * @throws the signal's reason; nothing is held then.
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    if (this.#waiters.size === 0 && this.#fits(bytes)) return this.#hold(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiter: Waiter = { bytes, grant: resolve };
    const cancel = (): void => {
      reject(signal.reason as Error);
      // A waiter that was granted before keeps its permit, and releases it when it sees the signal.
      if (this.#waiters.delete(waiter)) this.#grantWaiters();
    };
    signal.addEventListener('abort', cancel);
    this.#waiters.add(waiter);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #fits(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#budget;
  }

  #hold(bytes: number): Permit {
    let held = bytes;
    this.#held += bytes;
    return {
      resize: (size) => {
        this.#held += size - held;
        held = size;
        this.#grantWaiters();
      },
    };
  }

  #grantWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.#fits(waiter.bytes)) return;
      this.#waiters.delete(waiter);
      waiter.grant(this.#hold(waiter.bytes));
    }
  }
}
