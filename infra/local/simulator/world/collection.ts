/** Fields that a list needs of its entities. */
export interface Row {
  readonly id: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** Part of a list. */
export interface Slice {
  /** Only entities changed after this time; absent: all. */
  readonly after?: string | undefined;
  /** Includes entities changed exactly at that time. */
  readonly inclusive: boolean;
  readonly limit: number;
  /** The time by which a row is filtered; default `updated_at`. Must keep the order. */
  readonly storedAs?: (row: Row) => string;
}

/** A version that readers do not see yet. */
interface LateRow<T> {
  readonly row: T;
  /** Milliseconds since 1970. */
  readonly visibleAt: number;
}

/**
 * The entities of one list, by `updated_at` and then id, including deleted ones. Every change keeps
 * the order, so reading a page is a binary search.
 */
export class Collection<T extends Row> {
  readonly #now: () => number;
  readonly #rows = new Map<string, T>();
  readonly #order: T[] = [];
  readonly #late = new Map<string, LateRow<T>>();
  #alive = 0;

  /** @param now milliseconds since 1970; decides when late versions become visible. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Number of visible entities, including deleted ones. */
  get size(): number {
    this.#showDue();
    return this.#order.length;
  }

  /** Number of visible entities that are not deleted. */
  get alive(): number {
    this.#showDue();
    return this.#alive;
  }

  /** The entity as readers see it. */
  get(id: string): T | undefined {
    this.#showDue();
    return this.#rows.get(id);
  }

  /** The entity's newest version, visible or not. The next change starts from it. */
  newest(id: string): T | undefined {
    return this.#late.get(id)?.row ?? this.#rows.get(id);
  }

  /** Saves a new version. Readers see it immediately, or from `visibleAt`. */
  put(row: T, visibleAt?: number): void {
    const earlier = this.#late.get(row.id);
    if (earlier !== undefined) {
      this.#late.delete(row.id);
      this.#show(earlier.row);
    }
    if (visibleAt === undefined) this.#show(row);
    else this.#late.set(row.id, { row, visibleAt });
  }

  /** Removes an entity without a trace. @returns whether there was one. */
  destroy(id: string): boolean {
    this.#showDue();
    this.#late.delete(id);
    const row = this.#rows.get(id);
    if (row === undefined) return false;
    this.#order.splice(this.#placeOf(row), 1);
    this.#rows.delete(id);
    if (row.deleted_at === null) this.#alive -= 1;
    return true;
  }

  read(slice: Slice): { rows: T[]; hasMore: boolean } {
    this.#showDue();
    const { after, inclusive, storedAs } = slice;
    const start = after === undefined ? 0 : this.#firstAfter(after, inclusive, storedAs);
    const end = start + slice.limit;
    return { rows: this.#order.slice(start, end), hasMore: end < this.#order.length };
  }

  /** All entities that readers see, in the order of the list. */
  all(): readonly T[] {
    this.#showDue();
    return this.#order;
  }

  /** The newest version of each of them, visible or not. */
  newestRows(): readonly T[] {
    const rows = this.all();
    return this.#late.size === 0 ? rows : rows.map((row) => this.newest(row.id) ?? row);
  }

  #showDue(): void {
    if (this.#late.size === 0) return;
    const now = this.#now();
    for (const [id, { row, visibleAt }] of this.#late) {
      if (visibleAt > now) continue;
      this.#late.delete(id);
      this.#show(row);
    }
  }

  #show(row: T): void {
    const previous = this.#rows.get(row.id);
    if (previous !== undefined) {
      this.#order.splice(this.#placeOf(previous), 1);
      if (previous.deleted_at === null) this.#alive -= 1;
    }
    this.#rows.set(row.id, row);
    if (row.deleted_at === null) this.#alive += 1;
    this.#order.splice(this.#placeOf(row), 0, row);
  }

  #placeOf(row: T): number {
    return this.#search(
      (other) =>
        other.updated_at < row.updated_at ||
        (other.updated_at === row.updated_at && other.id < row.id),
    );
  }

  #firstAfter(
    time: string,
    inclusive: boolean,
    storedAs = ({ updated_at }: Row): string => updated_at,
  ): number {
    return this.#search((row) => (inclusive ? storedAs(row) < time : storedAs(row) <= time));
  }

  /** The first index whose row is not `before`. */
  #search(before: (row: T) => boolean): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#order[middle];
      if (row !== undefined && before(row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
