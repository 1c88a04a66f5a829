import type { Feed } from './feed.ts';

/**
 * Which feeds to poll now, and in what order. The projects come first, since what they show decides
 * about the other feeds. The others are shuffled: when a run cannot reach all of them, none is
 * always the last.
 *
 * @param now milliseconds since 1970.
 * @param random uniform in [0, 1), as `Math.random`.
 */
export function plan(feeds: Iterable<Feed>, now: number, random: () => number): Feed[] {
  const due = [...feeds].filter((feed) => feed.notBefore <= now);
  const rank = new Map(due.map((feed) => [feed, feed.projectId === undefined ? -1 : random()]));
  return due.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}
