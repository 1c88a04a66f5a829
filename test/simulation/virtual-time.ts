/** Something that happens at a point of virtual time. */
interface Timer {
  readonly time: number;
  readonly order: number;
  readonly wake: () => void;
}

/**
 * Time of a simulation: it stands still while anything can go on without it, and then leaps to the
 * next timer. Timers of one moment go off in the order they were set, so a history always runs alike.
 */
export class VirtualTime {
  #now: number;
  #order = 0;
  #outside = 0;
  /** A binary heap, the earliest first. */
  readonly #timers: Timer[] = [];

  /** @param start milliseconds since 1970. */
  constructor(start: number) {
    this.#now = start;
  }

  /** Milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  /** Calls `wake` when so many milliseconds have passed. */
  after(milliseconds: number, wake: () => void): void {
    const timer = { time: this.#now + Math.max(0, milliseconds), order: this.#order++, wake };
    const heap = this.#timers;
    let i = heap.length;
    heap.push(timer);
    for (let parent = (i - 1) >> 1; i > 0 && this.#isBefore(i, parent); parent = (i - 1) >> 1) {
      this.#swap(i, parent);
      i = parent;
    }
  }

  /** Resolves when so many milliseconds have passed. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(milliseconds, resolve);
    });
  }

  /** Time stands still while work of the real world (a real database, say) is under way. */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#outside += 1;
    try {
      return await work();
    } finally {
      this.#outside -= 1;
    }
  }

  /** Lets time pass until nothing is left that waits for it, or `isOver` says so. */
  async pass(isOver: () => boolean = () => false): Promise<void> {
    for (;;) {
      // One turn of the event loop: whatever can go on without time has gone on then.
      do await new Promise(setImmediate);
      while (this.#outside > 0);
      if (isOver()) return;
      const timer = this.#takeFirst();
      if (timer === undefined) return;
      this.#now = timer.time;
      timer.wake();
    }
  }

  #takeFirst(): Timer | undefined {
    const heap = this.#timers;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ;) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      const child = right < heap.length && this.#isBefore(right, left) ? right : left;
      if (child >= heap.length || !this.#isBefore(child, i)) return first;
      this.#swap(i, child);
      i = child;
    }
  }

  #isBefore(i: number, j: number): boolean {
    const [a, b] = [this.#timers[i], this.#timers[j]];
    if (a === undefined || b === undefined) return false;
    return a.time < b.time || (a.time === b.time && a.order < b.order);
  }

  #swap(i: number, j: number): void {
    const [a, b] = [this.#timers[i], this.#timers[j]];
    if (a === undefined || b === undefined) return;
    this.#timers[i] = b;
    this.#timers[j] = a;
  }
}
