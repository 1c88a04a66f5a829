import { PageTooSlowError } from '../model/errors.ts';
import { laterOf, type Timestamp } from '../model/timestamp.ts';

/** Maximum `Service-Per-Page` (spec, "Limits"). */
const MAX_PER_PAGE = 1000;

/**
 * The number of entities that a poll asks for.
 *
 * - Too large for the memory: halved, and asked for again.
 * - Too small to advance: grown to the maximum, once until the list advances.
 */
export class PageSize {
  readonly #usual: number;
  #entities: number;
  #kept: number | undefined;
  #hasGrown = false;

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
    if (this.#kept === undefined || !isLast) return this.#kept;
    const doubled = 2 * this.#kept;
    return doubled < this.#usual ? doubled : undefined;
  }

  /** Whether a larger page was asked for since the list advanced. */
  get hasGrown(): boolean {
    return this.#hasGrown;
  }

  /** Notes that the list has advanced: it may meet a larger tie. */
  advance(): void {
    this.#hasGrown = false;
  }

  /**
   * Grows the page, since one of this size did not advance.
   *
   * @param isKnown whether a poll failed at this timestamp with a page larger than the size that was kept.
   * @returns false when no larger page can be read.
   */
  grow(isKnown: boolean): boolean {
    const largest = isKnown ? (this.#kept ?? MAX_PER_PAGE) : MAX_PER_PAGE;
    if (this.#hasGrown || this.#entities >= largest) return false;
    this.#hasGrown = true;
    this.#entities = largest;
    this.#kept = isKnown ? this.#kept : undefined;
    return true;
  }

  /** Halves the page, since one of this size was too large. @returns false for a page of one entity. */
  halve(): boolean {
    if (this.#entities === 1) return false;
    this.#entities = Math.floor(this.#entities / 2);
    this.#kept = this.#entities;
    return true;
  }
}

/** The fields of a feed that decide the size of its pages, see {@link Feed}. */
export interface SizeFields {
  readonly pageSize?: number;
  readonly saturatedAt?: Timestamp;
}

/** The feed after a failed poll: the next one asks for half of a page that was too slow. */
export function sizeAfterFailure<F extends SizeFields>(feed: F, error: unknown): F {
  if (!(error instanceof PageTooSlowError) || error.perPage === undefined) return feed;
  const { perPage, tie } = error;
  return {
    ...feed,
    pageSize: Math.max(1, Math.floor(perPage / 2)),
    ...(tie !== undefined && { saturatedAt: laterOf(tie, feed.saturatedAt) }),
  };
}
