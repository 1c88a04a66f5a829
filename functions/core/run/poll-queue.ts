/** How a {@link PollQueue} works. */
export interface PollQueueOptions {
  /** Polls a list for one turn, and handles its failure. */
  readonly poll: (id: string) => Promise<void>;
  readonly concurrency: number;
  /** Once aborted, no further poll is started. */
  readonly signal: AbortSignal;
  /** Whether a poll may start, with so many in flight. */
  readonly canStart: (activeCount: number) => boolean;
  /** Whether a list is polled no more in this run. */
  readonly isLeft: (id: string) => boolean;
}

/**
 * Polls several lists at a time, where a poll may add others.
 *
 * A list is never polled twice at the same time: if it is added meanwhile, it is polled again
 * afterwards. Polls in flight are completed, even after the signal is aborted.
 */
export class PollQueue {
  readonly #options: PollQueueOptions;
  #waiting = new Set<string>();
  /** Polls in flight, by the ids of their lists. */
  readonly #active = new Map<string, Promise<void>>();
  readonly #errors: unknown[] = [];

  constructor(options: PollQueueOptions) {
    this.#options = options;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Adds lists behind the waiting ones. */
  add(ids: readonly string[]): void {
    for (const id of ids) this.#waiting.add(id);
    this.#startWaiting();
  }

  /** Adds lists before the waiting ones. */
  addFirst(ids: readonly string[]): void {
    this.#waiting = new Set([...ids, ...this.#waiting]);
    this.#startWaiting();
  }

  /**
   * Resolves when no poll is in flight and none can be started. Rejects then with the first error
   * of a poll.
   *
   * @returns the lists that were not polled.
   */
  async finish(): Promise<readonly string[]> {
    while (this.#active.size > 0) await Promise.all(this.#active.values());
    if (this.#errors.length > 0) throw this.#errors[0];
    return [...this.#waiting];
  }

  #startWaiting(): void {
    const { concurrency, signal, canStart, isLeft } = this.#options;
    for (const id of this.#waiting) {
      if (this.#active.size >= concurrency || signal.aborted) return;
      if (this.#active.has(id) || isLeft(id)) continue;
      if (!canStart(this.#active.size)) return;
      this.#waiting.delete(id);
      this.#active.set(id, this.#poll(id));
    }
  }

  async #poll(id: string): Promise<void> {
    try {
      await this.#options.poll(id);
    } catch (error) {
      this.#errors.push(error);
    }
    this.#active.delete(id);
    this.#startWaiting();
  }
}
