import { nextActivity } from '../model/feed-activity.ts';
import { isProjectsFeed, type Feed } from '../model/feed.ts';
import { shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/** Wait after the first failure; it doubles with each further one. */
const FIRST_BACKOFF_MS = 60_000;

/** Maximum wait between two polls of a failing or refused feed. */
export const MAX_BACKOFF_MS = 3_600_000;

/** Characters of a failure that are kept: enough for what failed and why. */
export const MAX_CAUSE_LENGTH = 200;

/**
 * The feed after a failed poll: it waits 1 minute, then 2, 4 … up to an hour. The cursor stays. Failures on our
 * side before it say nothing of the list.
 *
 * @param retryAfterMs a longer wait that the service requested, up to an hour.
 * @param maxWaitMs of the waits that the service does not request.
 */
export function afterFailure(
  feed: Feed,
  now: number,
  retryAfterMs = 0,
  maxWaitMs = MAX_BACKOFF_MS,
): Feed {
  const requestedMs = Math.min(retryAfterMs, MAX_BACKOFF_MS);
  const { hasUncommittedPage, ...rest } = feed;
  const before = hasUncommittedPage ? { ...rest, failures: 0 } : rest;
  const waitMs = Math.max(Math.min(backoffMs(before.failures), maxWaitMs), requestedMs);
  return { ...before, ...failedAgain(before, now), notBefore: now + waitMs };
}

function failedAgain({ failures, failingSince }: Feed, now: number) {
  return { failures: failures + 1, failingSince: failingSince ?? now };
}

/** Slow polls that are counted: by then the largest page is halved to the smallest. */
const MAX_SLOW_POLLS = 9;

/**
 * The feed after a poll whose pages were too slow: the next one starts with a smaller page. This is not a
 * back-off, so that it also holds in an outage of the service, whose end must find no list waiting.
 */
export function afterSlowPoll(feed: Feed): Feed {
  return { ...feed, slowPolls: Math.min((feed.slowPolls ?? 0) + 1, MAX_SLOW_POLLS) };
}

/** The feed before a failure since pages were too slow, while the service works. */
export function beforeSlowFailure(feed: Feed): Feed {
  const slowFailures = Math.min((feed.slowFailures ?? 0) + 1, MAX_SLOW_POLLS);
  return { ...afterSlowPoll(feed), slowFailures };
}

/** The feed before a failure that is no slowness: the slow ones before it are none in a row. Its pages stay small. */
export function beforeOtherFailure({ slowFailures: _, ...feed }: Feed): Feed {
  return feed;
}

/** Maximum wait between two tries of a page that cannot be published or saved. */
export const MAX_REPEAT_MS = 600_000;

/**
 * The feed after a page could not be published or saved, which is no fault of the list. Each try publishes
 * again what the topic accepts. So the first failure is retried by the next run, and further ones after
 * 1 minute, then 2, 4 … up to 10. Failures of the list before it do not count.
 */
export function afterUncommittedPage(feed: Feed, now: number): Feed {
  const failures = feed.hasUncommittedPage ? feed.failures : 0;
  const before = { ...beforeOtherFailure(feed), failures };
  const failed = { ...failedAgain(before, now), hasUncommittedPage: true } as const;
  const waitMs = Math.min(backoffMs(failures - 1), MAX_REPEAT_MS);
  return { ...before, ...failed, notBefore: failures === 0 ? 0 : now + waitMs };
}

/**
 * The feed after the service refused its list: parked, and retried like a failing feed, since a refusal
 * may be over in a minute. Below a deleted project it is expected, and retried in an hour. The projects
 * feed is never parked, since all other feeds depend on it.
 */
export function afterRefusal(feed: Feed, now: number): Feed {
  if (feed.parked === 'project-deleted') {
    const { hasUncommittedPage: _, failingSince: __, cause: ___, ...rest } = feed;
    return { ...rest, failures: 0, notBefore: now + MAX_BACKOFF_MS };
  }
  const failed = afterFailure(feed, now);
  return isProjectsFeed(feed) ? failed : { ...failed, parked: 'refused' };
}

/**
 * The feed with its back-off ended, if that began before this time: the whole service failed then. A page
 * that could not be published or saved still waits, since the service did its part.
 */
export function afterOutage(feed: Feed, endedAt: number): Feed {
  if (feed.hasUncommittedPage) return feed;
  const failedAt = feed.notBefore - backoffMs(feed.failures - 1);
  return feed.failures > 0 && failedAt <= endedAt ? { ...feed, notBefore: 0 } : feed;
}

/** The feed without a wait that is longer than any: the clock of the host that began it was ahead. */
export function withLegalWait(feed: Feed, now: number): Feed {
  return feed.notBefore > now + MAX_BACKOFF_MS ? { ...feed, notBefore: 0 } : feed;
}

/** @param failures before this one. */
function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS);
}

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
 * The feed after a page: its cursor advances, and it is no longer refused. It is no longer failing if
 * the page brought news or was the last one. The last page also ends the baseline. The feed of a deleted
 * project stays parked, and waits an hour after its last page.
 *
 * A last page without news changes nothing, unless the list catches up: reading the lookback again must
 * not cost a write each time. After news a list is not caught up.
 */
export function afterPage(feed: Feed, page: PageResult, now: number): Feed {
  const { parked, cursor, digest: _, lookbackMs, silentUntil, ...others } = feed;
  const { hasUncommittedPage, slowPolls: __, slowFailures, ...failing } = others;
  const { failingSince, cause, ...rest } = failing;
  // The lookback is read on every poll: it does not show whether the pages after it succeed, but that the
  // list is no longer refused.
  const hasSucceeded = page.isLast || page.isNews || parked === 'refused';
  const isParked = parked === 'project-deleted';
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
    ...(isParked && { parked }),
    ...(feed.phase === 'baseline' && afterBaselinePage(feed, page)),
    ...(nextCursor !== undefined && { cursor: nextCursor }),
    ...(nextLookbackMs !== undefined && { lookbackMs: nextLookbackMs }),
    ...(page.digest !== undefined && { digest: page.digest }),
    ...nextActivity(feed, page.changeCount ?? 0, page.changedAt ?? now),
    ...(!hasSucceeded && hasUncommittedPage && { hasUncommittedPage }),
    ...(!hasSucceeded && failingSince !== undefined && { failingSince }),
    ...(!hasSucceeded && slowFailures !== undefined && { slowFailures }),
    ...(!hasSucceeded && cause !== undefined && { cause }),
    ...slowPollsAfterPage(feed, page),
    ...(hasSucceeded && {
      failures: 0,
      notBefore: isParked && page.isLast ? now + MAX_BACKOFF_MS : 0,
    }),
  };
}

/**
 * The last page shows that the whole list can be read with pages of its size. Another one allows the next poll a
 * page of twice the size, as it allows this one: where each poll has one page, none would ever be larger. Not so a page
 * without news: what follows may be a tie that needs the polls that failed to be stepped over. If larger ones were too
 * slow before it, the next poll begins with a smaller one: where requests are short, they may have left none to go on.
 */
function slowPollsAfterPage(
  { slowPolls = 0 }: Feed,
  { isLast, isSlowed, isNews }: PageResult,
): Pick<Feed, 'slowPolls'> {
  const slower = isNews ? slowPolls : slowPolls + 1;
  const faster = isNews ? slowPolls - 1 : slowPolls;
  const remaining = isSlowed ? slower : faster;
  return isLast || remaining <= 0 ? {} : { slowPolls: remaining };
}

/** See {@link Feed.silentUntil}, for a list whose baseline began with this page, or with an earlier one. */
export function silentUntilOf(
  { silentUntil }: Pick<Feed, 'silentUntil'>,
  { readBefore }: Pick<PageResult, 'readBefore'>,
): Pick<Feed, 'silentUntil'> {
  if (silentUntil !== undefined) return { silentUntil };
  return readBefore === undefined ? {} : { silentUntil: readBefore };
}

/** The fields that a page of the baseline decides. */
function afterBaselinePage(feed: Feed, page: PageResult): Partial<Feed> {
  const { isLast, readAfter, cursor, lookbackMs } = page;
  // Without the service's clock the latest change replaces it, once the list has been read.
  const readAt = readAfter ? shiftTimestamp(readAfter, -lookbackMs) : isLast ? cursor : undefined;
  const baselineAt = feed.baselineAt ?? (isProjectsFeed(feed) ? readAt : undefined);
  return {
    phase: isLast ? 'live' : 'baseline',
    ...(baselineAt !== undefined && { baselineAt }),
    ...(!isLast && silentUntilOf(feed, page)),
  };
}
