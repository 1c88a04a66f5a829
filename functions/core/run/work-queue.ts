/** How a {@link WorkQueue} works. */
export interface WorkQueueOptions<Item> {
  readonly work: (item: Item) => Promise<void>;
  readonly concurrency: number;
  /** Once aborted, no further item is started. */
  readonly signal: AbortSignal;
  /** Asked before each item, with how many are in process; while false, none is started. Default: always true. */
  readonly canStart?: (activeCount: number) => boolean;
}

/**
 * Processes items concurrently, where processing one may add others.
 *
 * An item is never processed twice at the same time: if it is added meanwhile, it runs again afterwards.
 * Items in process are completed, even after the signal is aborted.
 */
export class WorkQueue<Item> {
  readonly #options: WorkQueueOptions<Item>;
  #waiting = new Set<Item>();
  readonly #active = new Set<Item>();
  #joinedCount = 0;
  readonly #failures: unknown[] = [];
  readonly #finished = Promise.withResolvers<undefined>();

  constructor(options: WorkQueueOptions<Item>) {
    this.#options = options;
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Items that were not started. */
  get waiting(): readonly Item[] {
    return [...this.#waiting];
  }

  /** Adds items behind the waiting ones. */
  add(items: readonly Item[]): void {
    for (const item of items) this.#waiting.add(item);
    this.#startWaiting();
  }

  /** Adds items before the waiting ones. */
  addFirst(items: readonly Item[]): void {
    this.#waiting = new Set([...items, ...this.#waiting]);
    this.#startWaiting();
  }

  /** Waits also for work that was started elsewhere, and may add items. It takes no slot. */
  join(work: Promise<unknown>): void {
    this.#joinedCount += 1;
    const leave = (): void => {
      this.#joinedCount -= 1;
      this.#startWaiting();
      this.#endIfIdle();
    };
    void work.then(leave, leave);
  }

  /**
   * Resolves when no item is in process and none can be started; rejects then with the first error.
   *
   * @returns the items that were not started.
   */
  async finish(): Promise<readonly Item[]> {
    this.#endIfIdle();
    await this.#finished.promise;
    if (this.#failures.length > 0) throw this.#failures[0];
    return this.waiting;
  }

  #endIfIdle(): void {
    if (this.#active.size + this.#joinedCount === 0) this.#finished.resolve(undefined);
  }

  #startWaiting(): void {
    const { concurrency, signal, canStart } = this.#options;
    for (const item of this.#waiting) {
      if (this.#active.size >= concurrency || signal.aborted) return;
      if (this.#active.has(item)) continue;
      if (canStart?.(this.#active.size) === false) return;
      this.#waiting.delete(item);
      this.#active.add(item);
      void this.#process(item);
    }
  }

  async #process(item: Item): Promise<void> {
    try {
      await this.#options.work(item);
    } catch (error) {
      this.#failures.push(error);
    }
    this.#active.delete(item);
    this.#startWaiting();
    this.#endIfIdle();
  }
}
