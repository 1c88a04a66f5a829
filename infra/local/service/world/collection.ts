/** What a list needs to know of its entities. */
export interface Row {
  readonly id: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** Which part of a list to read. */
export interface Slice {
  /** Only what changed after this time; absent: from the start. */
  readonly after?: string | undefined;
  /** Also what changed exactly at that time. */
  readonly inclusive: boolean;
  readonly limit: number;
}

/** A version that exists but that readers do not see yet. */
interface LateRow<T> {
  readonly row: T;
  /** Milliseconds since 1970. */
  readonly visibleAt: number;
}

/**
 * The entities of one list in the order of the list: by `updated_at`, then by id, deleted ones
 * included. The order is kept at every change, so that reading a page is one binary search.
 */
export class Collection<T extends Row> {
  readonly #now: () => number;
  readonly #rows = new Map<string, T>();
  readonly #order: T[] = [];
  readonly #late = new Map<string, LateRow<T>>();
  #alive = 0;

  /** @param now milliseconds since 1970; decides when late versions are seen. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How many entities readers see, deleted ones included. */
  get size(): number {
    this.#showDue();
    return this.#order.length;
  }

  /** How many of them are not deleted. */
  get alive(): number {
    this.#showDue();
    return this.#alive;
  }

  /** The entity as readers see it. */
  get(id: string): T | undefined {
    this.#showDue();
    return this.#rows.get(id);
  }

  /** The entity's newest version, seen or not: what the next change starts from. */
  newest(id: string): T | undefined {
    return this.#late.get(id)?.row ?? this.#rows.get(id);
  }

  /** Saves a new version. Readers see it at once, or from `visibleAt` on. */
  put(row: T, visibleAt?: number): void {
    const earlier = this.#late.get(row.id);
    if (earlier !== undefined) {
      this.#late.delete(row.id);
      this.#show(earlier.row);
    }
    if (visibleAt === undefined) this.#show(row);
    else this.#late.set(row.id, { row, visibleAt });
  }

  /** Reads part of the list. */
  read(slice: Slice): { rows: T[]; hasMore: boolean } {
    this.#showDue();
    const { after } = slice;
    const start = after === undefined ? 0 : this.#firstAfter(after, slice.inclusive);
    const end = start + slice.limit;
    return { rows: this.#order.slice(start, end), hasMore: end < this.#order.length };
  }

  /** All entities that readers see, in the order of the list. */
  all(): readonly T[] {
    this.#showDue();
    return this.#order;
  }

  /** How many entities, from the start of the list, have not changed since the given time. */
  unchangedSince(time: string): number {
    this.#showDue();
    return this.#firstAfter(time, false);
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
    const old = this.#rows.get(row.id);
    if (old !== undefined) {
      this.#order.splice(this.#placeOf(old), 1);
      if (old.deleted_at === null) this.#alive -= 1;
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

  #firstAfter(time: string, inclusive: boolean): number {
    return this.#search((row) => (inclusive ? row.updated_at < time : row.updated_at <= time));
  }

  /** The first place whose row is not `before`; all rows before it are. */
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
