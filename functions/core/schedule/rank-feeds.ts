/**
 * Decides which feeds to poll now, and in what order.
 *
 * 1. The list of projects, because it shows which other lists there are.
 * 2. Lists that reach their deadline: the longest wait first. One that was never polled counts as
 *    polled in 1970.
 * 3. Unfinished lists: the longest wait first.
 * 4. All others: the longest expected delay first, then the longest wait.
 *
 * The budget cuts this order off. Among the chosen, lists whose last poll failed come last, but for
 * two: see {@link failedLast}. No promise depends on the order: a list that is polled later loses
 * nothing.
 *
 * An unseen change costs a second of delay each second. A list with the rate r, polled t seconds
 * ago, has r·t expected changes of age t/2 each: r·t²/2 seconds of delay. Polling the lists with
 * most delay polls each in proportion to √r, which gives the smallest mean delay if rates are
 * known. ChangeRates learns them.
 */
import { dueAt, isProjectsFeed, type Feed } from '../model/feed.ts';
import { achievableWait, deadlineCount, type WaitLimits } from './deadlines.ts';
import type { PollHistory } from './poll-history.ts';

export interface RankOptions extends WaitLimits {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Lists that can be polled in this turn. */
  readonly budget: number;
}

/** The outcome of ranking. */
export interface Ranking {
  /** Feeds to poll, in this order; no more than the budget allows. */
  readonly feeds: readonly Feed[];
  /** Feeds that may be polled now: all that are due. */
  readonly pollableCount: number;
  /** Longest wait of any of them so far. */
  readonly waitedMs: number;
  /** See {@link achievableWait}. */
  readonly achievableWaitMs: number;
}

/** A feed that may be polled now. */
interface Candidate {
  readonly feed: Feed;
  readonly waitMs: number;
  /** Expected delay: rate × wait². */
  readonly delay: number;
  readonly isUnfinished: boolean;
}

/** Ranks the feeds that are due, and cuts the ranking at the budget. */
export function rankFeeds(
  feeds: Iterable<Feed>,
  history: PollHistory,
  options: RankOptions,
): Ranking {
  const { now } = options;
  const pollable = [...feeds].filter((feed) => dueAt(feed) <= now);
  // With a budget of one request, polling the projects each time would starve all others.
  const first = options.budget > 1 ? pollable.filter(isProjectsFeed) : [];
  const others = pollable.filter((feed) => !first.includes(feed));
  const limits = {
    ...options,
    budget: Math.max(0, options.budget - first.length),
    budgetPerTurn: Math.max(0, options.budgetPerTurn - first.length),
  };
  const maxWaitMs = achievableWait(others.filter(hasDeadline).length, limits);
  const ranked = inOrder(candidatesOf(others, history, now), { ...limits, maxWaitMs });
  const chosen = ranked.slice(0, limits.budget).map(({ feed }) => feed);
  return {
    feeds: failedLast([...first, ...chosen], options),
    pollableCount: pollable.length,
    waitedMs: longestWait(others, history, now),
    achievableWaitMs: maxWaitMs,
  };
}

function candidatesOf(feeds: readonly Feed[], history: PollHistory, now: number): Candidate[] {
  const rates = history.rates.rates();
  return feeds.map((feed) => {
    const polledAt = history.polledAt(feed.id) ?? 0;
    const waitMs = now - Math.max(polledAt, feed.parked?.until ?? 0);
    const rate = rates[history.rates.bucketOf(feed, now)] ?? 0;
    const isUnfinished = history.isUnfinished(feed.id);
    return { feed, waitMs, delay: rate * waitMs ** 2, isUnfinished };
  });
}

/** Sorts candidates: deadlines, unfinished lists, all others. */
function inOrder(candidates: readonly Candidate[], limits: WaitLimits): Candidate[] {
  const waiting = candidates.toSorted((a, b) => b.waitMs - a.waitMs || b.delay - a.delay);
  const withDeadline = waiting.filter(({ feed }) => hasDeadline(feed));
  const waits = withDeadline.map(({ waitMs }) => waitMs);
  const urgent = new Set(withDeadline.slice(0, deadlineCount(waits, limits)));
  const others = waiting.filter((candidate) => !urgent.has(candidate));
  const unfinished = others.filter(({ isUnfinished }) => isUnfinished);
  const usual = others.filter(({ isUnfinished }) => !isUnfinished);
  return [...urgent, ...unfinished, ...usual.sort((a, b) => b.delay - a.delay)];
}

/** A parked list has no deadline once it was read: most lists of an account may be parked. */
function hasDeadline({ parked }: Feed): boolean {
  return parked === undefined || parked.until === 0;
}

/** Failed lists that come before the others: more could take the time of a whole run to fail. */
const MAX_FAILED_FIRST = 2;

/**
 * Failed lists behind the others, in the order in which their waits have ended, and refused ones
 * last. Two that the last turn did not reach come first, so that each has its turn.
 */
function failedLast(feeds: readonly Feed[], { now, turnMs }: RankOptions): Feed[] {
  const failed = feeds.filter(({ wait }) => wait !== undefined).sort((a, b) => dueAt(a) - dueAt(b));
  const unreached = failed.filter(({ wait }) => (wait?.until ?? now) <= now - turnMs);
  const first = new Set(unreached.slice(0, MAX_FAILED_FIRST));
  const others = failed.filter((feed) => !first.has(feed));
  const healthy = feeds.filter(({ wait }) => wait === undefined);
  return [
    ...healthy.filter(isProjectsFeed),
    ...first,
    ...healthy.filter((feed) => !isProjectsFeed(feed)),
    ...others.filter(({ wait }) => !wait?.isRefused),
    ...others.filter(({ wait }) => wait?.isRefused),
  ];
}

/** The longest wait that is known. Waits after failures are no fault of the schedule. */
function longestWait(feeds: readonly Feed[], history: PollHistory, now: number): number {
  return feeds.reduce((longest, feed) => {
    const polledAt = history.polledAt(feed.id) ?? now;
    return Math.max(longest, now - Math.max(polledAt, dueAt(feed)));
  }, 0);
}
