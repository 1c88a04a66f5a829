/** A part of a {@link ByteSemaphore}. */
export interface Permit {
  /** Changes what is held to what it turned out to be. May exceed the budget; nobody is let in then. */
  resize(bytes: number): void;
}

/** One that waits. */
interface Waiting {
  readonly bytes: number;
  readonly grant: (share: Permit) => void;
}

/**
 * Bytes that may be held at once: a semaphore. Who comes first is let in first, even when there is room
 * for a smaller one behind it, so nobody waits for ever. One that wants more than there is in all is let
 * in when nothing else is held.
 */
export class ByteSemaphore {
  readonly #total: number;
  #held = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(total: number) {
    this.#total = total;
  }

  /** Bytes that are held now. */
  get held(): number {
    return this.#held;
  }

  /**
   * Waits for room, and holds it.
   *
   * @throws the signal's reason; nothing is held then.
   */
  async acquire(bytes: number, signal: AbortSignal): Promise<Permit> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0 && this.#hasRoomFor(bytes)) return this.#hold(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<Permit>();
    const waiting: Waiting = { bytes, grant: resolve };
    const cancel = (): void => {
      reject(signal.reason as Error);
      // One that was let in before goes on, and gives its share back when it sees the signal.
      if (this.#waiting.delete(waiting)) this.#grant();
    };
    signal.addEventListener('abort', cancel);
    this.#waiting.add(waiting);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#total;
  }

  #hold(bytes: number): Permit {
    let held = 0;
    const resize = (to: number): void => {
      this.#held += to - held;
      held = to;
      this.#grant();
    };
    this.#held += bytes;
    held = bytes;
    return { resize };
  }

  #grant(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoomFor(waiting.bytes)) return;
      this.#waiting.delete(waiting);
      waiting.grant(this.#hold(waiting.bytes));
    }
  }
}
