/** The feed after a committed page: cursor, activity, health and baseline. */
import { type Feed, nextActivity } from '../model/feed.ts';
import type { Timestamp } from '../model/timestamp.ts';
import { withoutWait, afterWholeRead, healthOf } from './health.ts';

/** The result of a processed page for its feed. */
export interface PageResult {
  /** See {@link FeedPage}. */
  readonly cursor?: Timestamp | undefined;
  readonly isLast: boolean;
  /** When the poll began, see {@link FeedPage.beganAt}. */
  readonly beganAt: Timestamp;
  /** The fields that decide the size of the next pages. */
  readonly size?: Pick<Feed, 'pageSize' | 'saturatedAt'>;
  /** See {@link Feed.digest}. */
  readonly digest?: string | undefined;
  /** True when the page showed an entity or version without a saved state. */
  readonly isNews: boolean;
  readonly changeCount: number;
  /** Time of the latest change, in milliseconds since 1970 by our clock. */
  readonly changedAt: number;
}

/**
 * The feed after a page. A page within the lookback proves nothing about later pages: only news, or
 * the list's end, ends a wait. The same page again changes nothing, so that a quiet list costs no
 * write.
 */
export function afterPage(feed: Feed, page: PageResult, now: number): Feed {
  const isSame = page.digest !== undefined && page.digest === feed.digest;
  if (isSame && healthOf(feed) === 'ok') return feed;
  const moved = noteActivity(moveCursor(feed, page), page);
  return afterBaseline(endWait(moved, page, now), page);
}

function endWait(feed: Feed, { isLast, isNews }: PageResult, now: number): Feed {
  if (isLast) return afterWholeRead(feed, now);
  return isNews ? withoutWait(feed) : feed;
}

function moveCursor(feed: Feed, { cursor, digest, size }: PageResult): Feed {
  const { digest: _, pageSize: __, saturatedAt: ___, ...rest } = feed;
  return {
    ...rest,
    ...(cursor !== undefined && { cursor }),
    ...(digest !== undefined && { digest }),
    ...size,
  };
}

function noteActivity(feed: Feed, { changeCount, changedAt }: PageResult): Feed {
  return { ...feed, ...nextActivity(feed, changeCount, changedAt) };
}

/** The first pass ends with the last page. */
function afterBaseline(feed: Feed, { isLast, beganAt }: PageResult): Feed {
  if (feed.phase === 'live') return feed;
  const { baselineAt = beganAt, ...rest } = feed;
  return isLast ? { ...rest, phase: 'live' } : { ...rest, baselineAt };
}
