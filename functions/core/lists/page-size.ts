import { PageTooSlowError } from '../model/errors.ts';
import { laterOf, type Timestamp } from '../model/timestamp.ts';

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
   * @param hasFailed whether a page larger than the kept size has failed here.
   * @returns false when no larger page can be read.
   */
  grow(hasFailed: boolean): boolean {
    const largest = hasFailed && this.#kept !== undefined ? this.#kept : MAX_PER_PAGE;
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

/** The fields of a {@link Feed} that decide the size of its pages. */
export interface SizeFields {
  readonly pageSize?: number;
  readonly saturatedAt?: Timestamp;
}

/** The feed after a failed poll: the next one asks for half of a page that was too slow. */
export function sizeAfterFailure<F extends SizeFields>(feed: F, error: unknown): F {
  if (!(error instanceof PageTooSlowError) || error.page === undefined) return feed;
  const { perPage, tie } = error.page;
  return {
    ...feed,
    pageSize: Math.max(1, Math.floor(perPage / 2)),
    ...(tie && { saturatedAt: laterOf(tie, feed.saturatedAt) }),
  };
}
