/** Fields that a list needs of its entities. */
export interface Row {
  readonly id: string;
  readonly updated_at: string;
  readonly deleted_at: string | null;
}

/** The entities of one list, by `updated_at` and then id, including deleted ones. */
export class Collection<T extends Row> {
  readonly #now: () => number;
  #rows: readonly T[] = [];
  /** Versions that readers do not see yet, by id. */
  readonly #late = new Map<string, { readonly row: T; readonly visibleAt: number }>();

  /** @param now milliseconds since 1970; decides when late versions become visible. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** All entities that readers see, in the order of the list. */
  all(): readonly T[] {
    const now = this.#now();
    for (const { row, visibleAt } of this.#late.values()) {
      if (visibleAt <= now) this.#show(row);
    }
    return this.#rows;
  }

  /** The entity as readers see it. */
  get(id: string): T | undefined {
    return this.all().find((row) => row.id === id);
  }

  /** The entity's newest version, visible or not. The next change starts from it. */
  newest(id: string): T | undefined {
    return this.#late.get(id)?.row ?? this.get(id);
  }

  /** The newest version of each visible entity. */
  newestRows(): readonly T[] {
    return this.all().map((row) => this.#late.get(row.id)?.row ?? row);
  }

  /** Saves a new version. Readers see it immediately, or from `visibleAt`. */
  put(row: T, visibleAt?: number): void {
    const earlier = this.#late.get(row.id);
    if (earlier) this.#show(earlier.row);
    if (visibleAt === undefined) this.#show(row);
    else this.#late.set(row.id, { row, visibleAt });
  }

  /** Removes an entity without a trace. */
  destroy(id: string): void {
    this.#late.delete(id);
    this.#rows = this.#rows.filter((row) => row.id !== id);
  }

  #show(row: T): void {
    this.destroy(row.id);
    const index = this.#rows.findLastIndex(
      ({ id, updated_at }) =>
        updated_at < row.updated_at || (updated_at === row.updated_at && id < row.id),
    );
    this.#rows = this.#rows.toSpliced(index + 1, 0, row);
  }
}
