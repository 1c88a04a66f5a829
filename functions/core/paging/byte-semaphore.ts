/** A part of a {@link ByteBudget}. */
export interface Share {
  /** Changes what is held to what it turned out to be. May exceed the budget; nobody is let in then. */
  correctTo(bytes: number): void;
}

/** One that waits. */
interface Waiting {
  readonly bytes: number;
  readonly letIn: (share: Share) => void;
}

/**
 * Bytes that may be held at once: a semaphore. Who comes first is let in first, even when there is room
 * for a smaller one behind it, so nobody waits for ever. One that wants more than there is in all is let
 * in when nothing else is held.
 */
export class ByteBudget {
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
  async take(bytes: number, signal: AbortSignal): Promise<Share> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0 && this.#hasRoomFor(bytes)) return this.#hold(bytes);
    const { promise, resolve, reject } = Promise.withResolvers<Share>();
    const waiting: Waiting = { bytes, letIn: resolve };
    const leave = (): void => {
      reject(signal.reason as Error);
      // One that was let in before goes on, and gives its share back when it sees the signal.
      if (this.#waiting.delete(waiting)) this.#letIn();
    };
    signal.addEventListener('abort', leave);
    this.#waiting.add(waiting);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #hasRoomFor(bytes: number): boolean {
    return this.#held === 0 || this.#held + bytes <= this.#total;
  }

  #hold(bytes: number): Share {
    let held = 0;
    const correctTo = (to: number): void => {
      this.#held += to - held;
      held = to;
      this.#letIn();
    };
    this.#held += bytes;
    held = bytes;
    return { correctTo };
  }

  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (!this.#hasRoomFor(waiting.bytes)) return;
      this.#waiting.delete(waiting);
      waiting.letIn(this.#hold(waiting.bytes));
    }
  }
}
