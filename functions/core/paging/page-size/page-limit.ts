/** One entity repeats the end of the previous page, the other advances the cursor. */
export const MIN_PER_PAGE = 2;
/** A page this many times faster than one that was too slow shows that twice its size is fast enough. */
const FASTER_FACTOR = 4;

/** Limits the entities of a page where larger pages are too slow, and lets them grow again. */
export class PageLimit {
  readonly #perPage: number;
  #entities: number;
  /** Duration of the last page that was too slow. */
  #slowMs = Infinity;

  /**
   * @param perPage usual number of entities.
   * @param slowPollCount see {@link Feed.slowPolls}. Each halves the first page: the time of a run may end
   *   before it finds a page that is fast enough.
   */
  constructor(perPage: number, slowPollCount: number) {
    this.#perPage = perPage;
    this.#entities = slowPollCount === 0 ? Infinity : atLeastMin(perPage / 2 ** slowPollCount);
  }

  /** Maximum number of entities to request. */
  get entities(): number {
    return Math.floor(this.#entities);
  }

  /** Records a page that was too slow. */
  shrink(perPage: number, elapsedMs: number): void {
    this.#entities = atLeastMin(perPage / 2);
    this.#slowMs = elapsedMs;
  }

  /** Records a page that was answered, and allows a larger one if it was fast. */
  grow(elapsedMs: number): void {
    if (FASTER_FACTOR * elapsedMs < this.#slowMs) this.#entities *= 2;
    if (this.#entities < this.#perPage) return;
    this.#entities = Infinity;
    this.#slowMs = Infinity;
  }
}

/** From a smaller limit, which no page has, it would take as many fast pages more to grow again. */
function atLeastMin(entities: number): number {
  return Math.max(MIN_PER_PAGE, entities);
}
