import { PageTooSlowError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';

/** Slow polls that are counted: by then the largest page is halved to the smallest. */
const MAX_SLOW_POLLS = 9;

/** The feed after a poll that failed: if its pages were too slow, the next poll starts with a smaller one. */
export function afterSlowness(feed: Feed, error: unknown): Feed {
  if (!(error instanceof PageTooSlowError)) {
    const { slowFailures: _, ...other } = feed;
    return other;
  }
  const more = (count = 0): number => Math.min(count + 1, MAX_SLOW_POLLS);
  return { ...feed, slowPolls: more(feed.slowPolls), slowFailures: more(feed.slowFailures) };
}

/** What of a page tells whether larger pages may be fast enough. */
interface PageSpeed {
  readonly isLast: boolean;
  readonly isNews: boolean;
  readonly isSlowed?: boolean;
}

/**
 * The feed after a page that was read. The last page shows that the whole list can be read with pages of its size. Another one
 * allows the next poll a page of twice the size, as it allows this one: where each poll has one page, none would ever be larger.
 * Not so a page without news: what follows may be a tie that needs the polls that failed to be stepped over.
 */
export function afterSpeed(feed: Feed, { isLast, isSlowed, isNews }: PageSpeed): Feed {
  const { slowPolls = 0, slowFailures = 0, ...rest } = feed;
  const remaining = slowPolls + (isSlowed ? 1 : 0) - (isNews ? 1 : 0);
  return {
    ...rest,
    ...(!isLast && remaining > 0 && { slowPolls: remaining }),
    ...(!isLast && !isNews && slowFailures > 0 && { slowFailures }),
  };
}
