import { earlierOf, isAfter, laterOf, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/** The facts of a page that move the watermark. */
export interface WatermarkInput {
  /** See {@link Page.readAfter}. */
  readonly readAfter: Timestamp | undefined;
  /** The page holds everything that was visible up to here, from the end of the previous page. */
  readonly coveredUntil: Timestamp;
  /** Latest `updated_at` on the page that does not lie in the future. */
  readonly largest: Timestamp | undefined;
  /** Time since the paginator's first request, by our clock. */
  readonly elapsedMs: number;
}

/**
 * The time up to which a list is complete: no entity can appear there any more.
 *
 * A late commit is an entity that becomes visible later than its `updated_at`, by up to the lookback. So a page that was read
 * at time t is complete up to t − lookback. Later pages cannot make up for a missing entity, since they
 * start behind it. All times are the service's own.
 */
export class Watermark {
  readonly #lookbackMs: number;
  /** Set by the first page that reaches beyond its own t − lookback. */
  #limit: Timestamp | undefined;
  #largest: Timestamp | undefined;
  #hasDates = true;

  constructor(lookbackMs: number) {
    this.#lookbackMs = lookbackMs;
  }

  /**
   * Adds the next page, and returns the watermark; never beyond the page's coverage. Undefined when
   * nothing tells the service's time.
   */
  observe({ readAfter, coveredUntil, largest, elapsedMs }: WatermarkInput): Timestamp | undefined {
    this.#largest = laterOf(this.#largest, largest);
    const limit = readAfter && shiftTimestamp(readAfter, -this.#lookbackMs);
    this.#hasDates &&= limit !== undefined;
    // Without `Date` the latest change replaces the service's clock.
    if (limit === undefined || !this.#hasDates) {
      if (this.#largest === undefined) return undefined;
      const byChanges = shiftTimestamp(this.#largest, -elapsedMs - this.#lookbackMs);
      return earlierOf(coveredUntil, earlierOf(byChanges, limit));
    }
    if (earlierOf(limit, coveredUntil) !== coveredUntil) this.#limit ??= limit;
    return earlierOf(coveredUntil, this.#limit ?? coveredUntil);
  }
}

/**
 * The lookback with which a list is complete up to its cursor, once it is complete with a longer one up to the
 * watermark: of this one only what lies between the two is missing.
 */
export function coveredLookback(
  cursor: Timestamp,
  watermark: Timestamp,
  lookbackMs: number,
): number {
  if (!isAfter(cursor, watermark)) return lookbackMs;
  // Less than a millisecond counts as one.
  return lookbackMs - Math.max(1, Date.parse(cursor) - Date.parse(watermark));
}
