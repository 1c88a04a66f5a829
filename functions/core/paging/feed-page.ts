import type { Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { PageReservation } from './page-buffer.ts';

/** One page of a feed's list, and the cursor to commit after it. */
export interface FeedPage {
  readonly page: Page;
  /** Release it once the page is committed or dropped. */
  readonly reservation: PageReservation;
  /** `last_synced_at` as it was sent; undefined on the first request of a feed's life. */
  readonly requestedCursor: string | undefined;
  /**
   * The cursor to commit once the page is processed: a paginator that starts there misses nothing.
   * Never before the feed's cursor.
   */
  readonly cursor: Timestamp | undefined;
  /**
   * The cursor to commit instead if this is the last page and it brought news: the lookback behind the
   * page's own timestamps, too. The clock behind `Date` may be ahead of the one behind `updated_at`,
   * and a list that is changing may have more late commits.
   */
  readonly lookbackCursor: Timestamp | undefined;
  /** True when `cursor` is not the one that the feed had when the paginator started. */
  readonly hasAdvanced: boolean;
  /**
   * The lookback with which the list is complete up to the feed's cursor, if the paginator has made that longer. So
   * pages before the cursor need not be read again by the next poll.
   */
  readonly coveredLookbackMs: number | undefined;
  /** True when a larger page was too slow before. */
  readonly isSlowed: boolean;
  /** True when `X-Has-More` was false (spec, "Pagination rules", 4). */
  readonly isLast: boolean;
  /** True when the list has ended and the cursor is at its end. */
  readonly isCaughtUp: boolean;
  /** A timestamp that more entities share than the largest page holds: some may stay unseen. */
  readonly saturated: Timestamp | undefined;
}
