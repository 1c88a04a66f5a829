import { type Feed } from '../model/feed.ts';
import { type Timestamp } from '../model/timestamp.ts';
import { nextActivity } from '../model/feed-activity.ts';

/** Waits after the first failure, doubled with each further one. */
export const FIRST_BACKOFF_MS = 60_000;

/** The longest wait between two tries of a failing or refused feed. */
export const LONGEST_BACKOFF_MS = 3_600_000;

/** The feed after a failed poll: waits 1 minute, then 2, 4 … up to an hour. The cursor stays. */
export function afterFailure(feed: Feed, now: number): Feed {
  const wait = Math.min(FIRST_BACKOFF_MS * 2 ** feed.failures, LONGEST_BACKOFF_MS);
  return { ...feed, failures: feed.failures + 1, notBefore: now + wait };
}

/**
 * The feed after the service refused its list: parked, asked again in an hour. The projects feed is
 * not parked, since all others hang on it: it fails.
 */
export function afterRefusal(feed: Feed, now: number): Feed {
  if (feed.projectId === undefined) return afterFailure(feed, now);
  const parked = feed.parked ?? 'refused';
  return { ...feed, parked, failures: 0, notBefore: now + LONGEST_BACKOFF_MS };
}

/** What a worked page means for its feed. */
export interface PageDone {
  /** See {@link FeedPage}. */
  readonly cursor?: Timestamp;
  readonly lookbackCursor?: Timestamp;
  readonly isLast: boolean;
  readonly isCaughtUp: boolean;
  /** The overlap with which the page was walked. */
  readonly lookbackMs: number;
  /** See {@link Feed.boundary}. */
  readonly boundary?: string | undefined;
  /** True when the page showed something that was not known. */
  readonly isNews: boolean;
  /** How many changes the page showed. */
  readonly changes?: number;
  /** When the latest of them happened, in milliseconds since 1970 by our clock. Default: now. */
  readonly changedAt?: number;
}

/**
 * The feed after a page was worked: further on, and no longer refused. It is no longer failing if the
 * page brought news or was the last one, which also ends the baseline. The feed of a deleted project
 * stays parked, and rests after its last page.
 *
 * A last page without news changes nothing, except that the list is settled at some time: reading the
 * overlap again must not cost a write each time. One with news settles nothing.
 */
export function afterPage(feed: Feed, page: PageDone, now: number): Feed {
  const { parked, cursor, boundary, lookbackMs, ...rest } = feed;
  const isParked = parked === 'project-deleted';
  const isCaughtUp = page.isCaughtUp && !page.isNews;
  const moves = page.isNews || !page.isLast || isCaughtUp || cursor === undefined;
  const coveredUntil = page.isLast && page.isNews ? page.lookbackCursor : page.cursor;
  const nextCursor = moves ? coveredUntil : cursor;
  const isFurther = nextCursor !== cursor;
  const nextBoundary = isCaughtUp ? page.boundary : isFurther ? undefined : boundary;
  // A walk that began before the cursor has made up for it only when it is past it.
  const nextFinalForMs = isFurther || isCaughtUp ? page.lookbackMs : lookbackMs;
  return {
    ...rest,
    ...(isParked && { parked }),
    phase: page.isLast ? 'live' : feed.phase,
    ...(nextCursor !== undefined && { cursor: nextCursor }),
    ...(nextFinalForMs !== undefined && { lookbackMs: nextFinalForMs }),
    ...(nextBoundary !== undefined && { boundary: nextBoundary }),
    ...nextActivity(feed, page.changes ?? 0, page.changedAt ?? now),
    // The overlap is read again and again: it says nothing about what comes after it.
    ...((page.isLast || page.isNews) && {
      failures: 0,
      notBefore: isParked && page.isLast ? now + LONGEST_BACKOFF_MS : 0,
    }),
  };
}
