/** What a committed page changes in its feed: health, cursor, activity and the baseline. */
import { nextActivity } from '../model/feed-activity.ts';
import { isProjectsFeed, type Feed } from '../model/feed.ts';
import { shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import { afterNews, afterWholeRead } from './health.ts';
import { afterSpeed } from './slow-polls.ts';

/** The result of a processed page for its feed. */
export interface PageResult {
  /** See {@link FeedPage}. */
  readonly cursor?: Timestamp | undefined;
  readonly lookbackCursor?: Timestamp | undefined;
  readonly isLast: boolean;
  readonly isCaughtUp: boolean;
  /** The lookback with which the page was read. */
  readonly lookbackMs: number;
  /** See {@link FeedPage}. */
  readonly coveredLookbackMs?: number | undefined;
  readonly isSlowed?: boolean;
  /** See {@link Page.readAfter}. */
  readonly readAfter?: Timestamp | undefined;
  /** See {@link Page.readBefore}. */
  readonly readBefore?: Timestamp | undefined;
  /** See {@link Feed.digest}. */
  readonly digest?: string | undefined;
  /** True when the page showed an entity or version without a saved state. */
  readonly isNews: boolean;
  readonly changeCount?: number;
  /** Time of the latest change, in milliseconds since 1970 by our clock. Default: now. */
  readonly changedAt?: number;
}

/**
 * The feed after a page. Pages of the lookback are read on every poll and show nothing of those behind them: only news, or
 * the end of the list, ends a wait.
 */
export function afterPage(feed: Feed, page: PageResult, now: number): Feed {
  const moved = noteActivity(moveCursor(afterSpeed(feed, page), page), page, now);
  return afterBaseline(endWait(moved, page, now), page);
}

function endWait(feed: Feed, { isLast, isNews }: PageResult, now: number): Feed {
  if (isLast) return afterWholeRead(feed, now);
  return isNews ? afterNews(feed) : feed;
}

/**
 * Moves the cursor. A last page without news changes nothing, unless the list catches up: reading the lookback again must
 * not cost a write each time. After news a list is not caught up.
 */
function moveCursor(feed: Feed, page: PageResult): Feed {
  const { cursor, digest: _, lookbackMs, ...rest } = feed;
  const isCaughtUp = page.isCaughtUp && !page.isNews;
  const canAdvance = page.isNews || !page.isLast || isCaughtUp || cursor === undefined;
  const pageCursor = page.isLast && page.isNews ? page.lookbackCursor : page.cursor;
  const nextCursor = canAdvance ? pageCursor : cursor;
  const hasAdvanced = nextCursor !== cursor;
  // A paginator that starts before the cursor covers a larger lookback page by page, and whole once it is past the cursor.
  const coveredMs = page.isLast ? undefined : page.coveredLookbackMs;
  const nextLookbackMs = hasAdvanced || isCaughtUp ? page.lookbackMs : (coveredMs ?? lookbackMs);
  return {
    ...rest,
    ...(nextCursor !== undefined && { cursor: nextCursor }),
    ...(nextLookbackMs !== undefined && { lookbackMs: nextLookbackMs }),
    ...(page.digest !== undefined && { digest: page.digest }),
  };
}

function noteActivity(feed: Feed, { changeCount = 0, changedAt }: PageResult, now: number): Feed {
  return { ...feed, ...nextActivity(feed, changeCount, changedAt ?? now) };
}

/** The first pass ends with the last page. Until then the feed keeps since when it is silent. */
function afterBaseline(feed: Feed, page: PageResult): Feed {
  if (feed.phase === 'live') return feed;
  const { silentUntil: _, ...rest } = feed;
  const begun = isProjectsFeed(feed) ? baselineStart(feed, page) : {};
  if (page.isLast) return { ...rest, ...begun, phase: 'live' };
  return { ...rest, ...begun, ...silentUntilOf(feed, page) };
}

/** See {@link Feed.baselineAt}. Without the service's clock the latest change replaces it, once the list has been read. */
function baselineStart({ baselineAt }: Feed, page: PageResult): Pick<Feed, 'baselineAt'> {
  const { isLast, readAfter, cursor, lookbackMs } = page;
  const readAt = readAfter ? shiftTimestamp(readAfter, -lookbackMs) : isLast ? cursor : undefined;
  const start = baselineAt ?? readAt;
  return start === undefined ? {} : { baselineAt: start };
}

/** See {@link Feed.silentUntil}, for a list whose baseline began with this page, or with an earlier one. */
export function silentUntilOf(
  { silentUntil }: Pick<Feed, 'silentUntil'>,
  { readBefore }: Pick<PageResult, 'readBefore'>,
): Pick<Feed, 'silentUntil'> {
  if (silentUntil !== undefined) return { silentUntil };
  return readBefore === undefined ? {} : { silentUntil: readBefore };
}
