import { PageTooSlowError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';

/** Maximum `Service-Per-Page` (spec, "Limits"). */
const MAX_PER_PAGE = 1000;

/** The number of entities that a poll asks for. */
export class PageSize {
  readonly #usual: number;
  #entities: number;
  #kept: number | undefined;

  /**
   * @param perPage the usual size.
   * @param kept {@link Feed.pageSize}.
   */
  constructor(perPage: number, kept?: number) {
    this.#usual = perPage;
    this.#entities = Math.min(perPage, kept ?? perPage);
    this.#kept = kept;
  }

  /** `Service-Per-Page` of the next request. */
  get entities(): number {
    return this.#entities;
  }

  /** The size for the next poll, doubled after a whole list; undefined for the usual one. */
  keptAfter(isLast: boolean): number | undefined {
    if (!isLast) return this.#kept;
    const doubled = 2 * (this.#kept ?? this.#usual);
    return doubled < this.#usual ? doubled : undefined;
  }

  /**
   * Grows the page, since one of this size did not advance.
   *
   * @param largest the size to ask for.
   * @returns false when no larger page can be read.
   */
  grow(largest = MAX_PER_PAGE): boolean {
    if (this.#entities >= largest) return false;
    this.#entities = largest;
    return true;
  }

  /** Halves the page, since one of this size was too large. @returns false for one entity. */
  halve(): boolean {
    if (this.#entities === 1) return false;
    this.#entities = Math.floor(this.#entities / 2);
    this.#kept = this.#entities;
    return true;
  }
}

/** The size of a feed's pages, and the timestamp that was stepped over. */
export type SizeFields = Pick<Feed, 'pageSize' | 'saturatedAt'>;

/**
 * The feed after a failed poll: the next one asks for half of a page that was too slow. Usual pages
 * and those that were to pass a tie have a size of their own: a time-out of one says nothing of the
 * other.
 */
export function sizeAfterFailure(feed: Feed, error: unknown): Feed {
  if (!(error instanceof PageTooSlowError) || error.page === undefined) return feed;
  const perPage = Math.max(1, Math.floor(error.page.perPage / 2));
  const { tie } = error.page;
  if (tie === undefined) return { ...feed, pageSize: perPage };
  return feed.wait ? { ...feed, wait: { ...feed.wait, slowTie: { at: tie, perPage } } } : feed;
}
