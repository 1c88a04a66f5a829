/** Polls in a row that the service answered with 429, after which a list has a limit of its own. */
const MIN_POLLS = 2;
/** Lists that the next run is told of. */
const MAX_HANDED_OVER = 20;

/**
 * The lists whose last poll the service answered with 429, which pauses all requests: it mostly limits
 * them together.
 *
 * One list that is limited alone would let all others starve. So it is polled last. If that happens again
 * although others are read, the limit is its own: it backs off, and pauses no other list.
 */
export class LimitedLists {
  /** Polls in a row that were answered with 429, by feed id. */
  readonly #counts: Map<string, number>;
  /** Whether a list was read in this run. */
  #hasRead = false;

  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#counts = new Map(Object.entries(counts));
  }

  /** For the next run; undefined when there are none. */
  get handover(): Readonly<Record<string, number>> | undefined {
    if (this.#counts.size === 0) return undefined;
    return Object.fromEntries([...this.#counts].slice(-MAX_HANDED_OVER));
  }

  has(id: string): boolean {
    return this.#counts.has(id);
  }

  /** Whether a 429 concerns this list alone. */
  hasOwnLimit(id: string): boolean {
    return (this.#counts.get(id) ?? 0) >= MIN_POLLS;
  }

  /** Notes that a list was read. */
  read(id: string): void {
    this.#hasRead = true;
    this.#counts.delete(id);
  }

  /**
   * Notes that the service answered a poll with 429.
   *
   * @param hasAdvanced whether pages were read before.
   */
  limited(id: string, hasAdvanced: boolean): void {
    const count = hasAdvanced ? 0 : (this.#counts.get(id) ?? 0);
    this.#counts.set(id, count === 0 || this.#hasRead ? count + 1 : count);
  }

  /** The lists in the order to poll them: those that may pause all others last. */
  inOrder(ids: readonly string[]): readonly string[] {
    const isLast = (id: string): boolean => this.has(id) && !this.hasOwnLimit(id);
    return [...ids.filter((id) => !isLast(id)), ...ids.filter(isLast)];
  }
}
