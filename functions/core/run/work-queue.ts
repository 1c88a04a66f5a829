/**
 * Works through items, several at a time, where working on one may add others. No item is worked on
 * twice at the same time: one that is added while it is being worked on has another turn after that.
 * Hands out nothing more once the signal is aborted, or when no more may begin; what is being worked
 * on comes to its end.
 */
export class WorkQueue<Item> {
  readonly #work: (item: Item) => Promise<void>;
  readonly #concurrency: number;
  readonly #signal: AbortSignal;
  readonly #mayBegin: () => boolean;
  #waiting = new Set<Item>();
  readonly #active = new Set<Item>();
  readonly #failures: unknown[] = [];
  readonly #finished = Promise.withResolvers<undefined>();

  /** @param mayBegin asked before each item. */
  constructor(
    work: (item: Item) => Promise<void>,
    concurrency: number,
    signal: AbortSignal,
    mayBegin: () => boolean = () => true,
  ) {
    this.#work = work;
    this.#concurrency = concurrency;
    this.#signal = signal;
    this.#mayBegin = mayBegin;
  }

  /** Whether items wait for their turn. */
  get isAnyWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Adds items behind those that wait. */
  add(items: readonly Item[]): void {
    for (const item of items) this.#waiting.add(item);
    this.#next();
  }

  /** Adds items before those that wait. */
  addFirst(items: readonly Item[]): void {
    this.#waiting = new Set([...items, ...this.#waiting]);
    this.#next();
  }

  /**
   * Resolves when nothing is worked on, and nothing waits or nothing more may begin. Rejects then
   * with the first error of the work on an item.
   *
   * @returns how many items were not begun.
   */
  async finish(): Promise<number> {
    if (this.#active.size === 0) this.#finished.resolve(undefined);
    await this.#finished.promise;
    if (this.#failures.length > 0) throw this.#failures[0];
    return this.#waiting.size;
  }

  #next(): void {
    for (const item of this.#waiting) {
      if (this.#active.size >= this.#concurrency || this.#signal.aborted) return;
      if (this.#active.has(item)) continue;
      if (!this.#mayBegin()) return;
      this.#waiting.delete(item);
      this.#active.add(item);
      void this.#workOn(item);
    }
  }

  async #workOn(item: Item): Promise<void> {
    try {
      await this.#work(item);
    } catch (error) {
      this.#failures.push(error);
    }
    this.#active.delete(item);
    this.#next();
    if (this.#active.size === 0) this.#finished.resolve(undefined);
  }
}
