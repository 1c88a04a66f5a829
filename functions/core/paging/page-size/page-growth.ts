import { MIN_PER_PAGE } from './page-limit.ts';

/** Maximum `Service-Per-Page` (spec, "Limits"). */
const MAX_PER_PAGE = 1000;

/**
 * Searches for a page with which a list advances: larger than one that shows only entities of one timestamp, and
 * smaller than one that is too large for the memory, or too slow.
 */
export class PageGrowth {
  #perPage: number | undefined;
  /** Size of the last page that did not advance. */
  #tooSmall = 0;
  /** Size of the last page that could not be read. */
  #tooLarge = Infinity;

  /** `Service-Per-Page` of the next request; undefined if that is the usual one. */
  get perPage(): number | undefined {
    return this.#perPage;
  }

  /**
   * Requests a larger page, since one of this size did not advance. If none is left between, the one that could not be
   * read is tried again: only that may tell that the list cannot go on.
   *
   * @param next its size, as long as none was too large.
   * @returns false if it would not be larger.
   */
  grow(perPage: number, next: number): boolean {
    this.#tooSmall = perPage;
    const isBounded = this.#tooLarge !== Infinity;
    return this.#request(isBounded ? Math.ceil(this.#middle) : Math.min(next, MAX_PER_PAGE));
  }

  /** Notes that a page of this size could not be read. */
  limit(perPage: number): void {
    this.#tooLarge = perPage;
  }

  /** Requests a smaller page, since one of this size could not be read. @returns false if there is none between. */
  shrink(perPage: number): boolean {
    this.limit(perPage);
    const smaller = Math.floor(this.#middle);
    return smaller >= MIN_PER_PAGE && this.#request(smaller);
  }

  /** Whether larger pages were given up until the list advances. */
  get isGivenUp(): boolean {
    return this.#tooLarge === 0;
  }

  /**
   * Requests the page that did not advance again, and no larger one until the list advances. If there was none since a
   * timestamp was stepped over, the usual page.
   */
  giveUp(): void {
    if (this.#tooSmall === 0) {
      this.end();
      return;
    }
    this.#perPage = this.#tooSmall;
    this.#tooLarge = 0;
  }

  /** Requests the next page at the size of the last one, since the list may have advanced. */
  keep(): void {
    this.#tooSmall = 0;
    this.#tooLarge = Infinity;
  }

  /** Requests the next page at its usual size, since the list has advanced. */
  end(): void {
    this.#perPage = undefined;
    this.keep();
  }

  get #middle(): number {
    return (this.#tooSmall + this.#tooLarge) / 2;
  }

  #request(perPage: number): boolean {
    if (perPage <= this.#tooSmall) return false;
    this.#perPage = perPage;
    return true;
  }
}
