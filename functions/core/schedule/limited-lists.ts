/** Polls in a row that the service answered with 429, after which a list has a limit of its own. */
const MIN_POLLS = 2;
/** Lists that the next run is told of. */
const MAX_HANDED_OVER = 100;

/**
 * The lists whose last poll the service answered with 429, which pauses all requests: it mostly limits
 * them together.
 *
 * One list that is limited alone would let all others starve. So it is polled last. If that happens again
 * although others are read, the limit is its own: it backs off, and pauses no other list. The same holds for all lists
 * of a resource, if none of them is read: two answers tell of all, where each list alone would need two.
 */
export class LimitedLists {
  /** Polls in a row that were answered with 429, by feed id, and by {@link resourceOf}. */
  readonly #counts: Map<string, number>;
  /** Whether a list, or a page of one, was read in this run. */
  #hasRead = false;

  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#counts = new Map(Object.entries(counts));
  }

  /** For the next run; undefined when there are none. */
  get handover(): Readonly<Record<string, number>> | undefined {
    if (this.#counts.size === 0) return undefined;
    const byCount = [...this.#counts].sort(([, a], [, b]) => b - a);
    return Object.fromEntries(byCount.slice(0, MAX_HANDED_OVER));
  }

  has(id: string): boolean {
    return this.#counts.has(id);
  }

  /** Whether a 429 concerns this list alone, or the lists of its resource. */
  hasOwnLimit(id: string): boolean {
    return [id, resourceOf(id)].some((key) => (this.#counts.get(key) ?? 0) >= MIN_POLLS);
  }

  /** Notes that a page of any list was read. */
  answered(): void {
    this.#hasRead = true;
  }

  /** Notes that a list was read. */
  read(id: string): void {
    this.answered();
    this.#counts.delete(id);
    this.#counts.delete(resourceOf(id));
  }

  /**
   * Notes that the service answered a poll with 429.
   *
   * @param hasAdvanced whether pages were read before.
   */
  limited(id: string, hasAdvanced: boolean): void {
    for (const key of new Set([id, resourceOf(id)])) {
      const count = hasAdvanced ? 0 : (this.#counts.get(key) ?? 0);
      this.#counts.set(key, count === 0 || this.#hasRead ? count + 1 : count);
    }
  }

  /** The lists in the order to poll them: those that may pause all others last. */
  inOrder(ids: readonly string[]): readonly string[] {
    const isLast = (id: string): boolean => this.has(id) && !this.hasOwnLimit(id);
    return [...ids.filter((id) => !isLast(id)), ...ids.filter(isLast)];
  }
}

/** Stands for all lists of a resource: a feed id without its project. */
function resourceOf(id: string): string {
  return id.replace(/^projects\/[^/]+/, '*');
}
