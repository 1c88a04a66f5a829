import { dueAt, isProjectsFeed, type Feed } from '../model/feed.ts';
import { achievableWait, dueNow, type WaitLimits } from './deadlines.ts';
import type { PollHistory } from './poll-history.ts';

export interface RankOptions extends WaitLimits {
  /** Milliseconds since 1970. */
  readonly now: number;
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

/**
 * Decides which feeds to poll now, and in what order.
 *
 * 1. The projects feed, because it shows which other feeds there are.
 * 2. If the budget covers all feeds, all of them: those that are {@link dueNow} first, since the
 *    time of the run may not cover all.
 * 3. Otherwise feeds that are {@link dueNow}, longest wait first; then unfinished lists, longest
 *    wait first; then feeds with the highest *rate of changes × square of the time since the last
 *    poll*.
 *
 * An unseen change costs a second of delay each second. A feed with rate r, polled t seconds ago,
 * has r·t expected changes of age t/2 each: r·t²/2 seconds of delay. Polling the feeds with most
 * delay polls each in proportion to √r, which gives the smallest mean delay if rates are known.
 * ChangeRates learns them.
 *
 * A feed without history, such as a new feed, counts as if it had waited longest. A feed that is in
 * its baseline counts as if it had waited for the maximum wait. Failures do not count: only the
 * order of the chosen feeds knows them, see {@link failedLast}.
 */
export function rankFeeds(
  feeds: Iterable<Feed>,
  history: PollHistory,
  options: RankOptions,
): Ranking {
  const first: Feed[] = [];
  const others: Feed[] = [];
  for (const feed of feeds) {
    if (dueAt(feed) > options.now) continue;
    // With a budget of one request, polling the projects each time would starve all others.
    const isFirst = isProjectsFeed(feed) && options.budget > 1;
    (isFirst ? first : others).push(feed);
  }
  const remaining = {
    ...options,
    budget: Math.max(0, options.budget - first.length),
    budgetPerTurn: Math.max(0, options.budgetPerTurn - first.length),
  };
  const livingCount = others.filter((feed) => !isRare(feed)).length;
  const limits = { ...remaining, maxWaitMs: achievableWait(livingCount, remaining) };
  const { waits, ranks, waitedMs } = scoreFeeds(others, history, limits);
  // Also if the budget covers all: the time of the run may not.
  for (const i of dueNow(waits, ranks, limits)) ranks[i] = Infinity;
  const isShort = limits.budget < others.length;
  const chosen = isShort ? highest(ranks, limits.budget) : [...ranks.keys()];
  chosen.sort((a, b) => compareRanks(ranks[b], ranks[a]) || compareRanks(waits[b], waits[a]));
  return {
    feeds: failedLast([...first, ...chosen.flatMap((i) => others[i] ?? [])], history, limits),
    pollableCount: first.length + others.length,
    waitedMs,
    achievableWaitMs: limits.maxWaitMs,
  };
}

/**
 * Parked feeds behind the others, failed ones behind them, and refused ones last, since each may
 * take long to fail. One that the last turn did not reach, though its wait was over, keeps its
 * place, and so does an unfinished one: at the end of short requests it would never get on.
 */
function failedLast(
  feeds: readonly Feed[],
  history: PollHistory,
  { now, turnMs }: Pick<RankOptions, 'now' | 'turnMs'>,
): Feed[] {
  const placeOf = (feed: Feed): number => {
    const { wait } = feed;
    if (history.isUnfinished(feed.id)) return 0;
    if (wait === undefined || wait.until <= now - turnMs) return isRare(feed) ? 1 : 0;
    return wait.isRefused ? 3 : 2;
  };
  return feeds.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Whether a feed is parked, and was read since. An account may have many more of these than others:
 * they have no deadline, and wait only since the day after their last turn.
 */
function isRare({ parked }: Feed): boolean {
  return parked !== undefined && parked.until > 0;
}

/** Scores by feed index. */
interface Scores {
  /** Waits that count for the deadlines. */
  readonly waits: Float64Array;
  /** Expected delay. */
  readonly ranks: Float64Array;
  /** Longest wait that is known. */
  readonly waitedMs: number;
}

/** Factor that lifts unfinished lists above every expected delay. */
const UNFINISHED = 1e200;

function scoreFeeds(feeds: readonly Feed[], history: PollHistory, options: RankOptions): Scores {
  const { now, maxWaitMs } = options;
  const rates = history.rates.rates();
  const waits = new Float64Array(feeds.length);
  const ranks = new Float64Array(feeds.length);
  let [waitedMs, longest] = [0, maxWaitMs];
  const unknown: number[] = [];
  // A plain loop: it takes most of the ranking's time at 200,000 feeds, see
  // test/bench/scale-table.ts.
  for (let i = 0; i < feeds.length; i += 1) {
    const feed = feeds[i];
    if (feed === undefined) continue;
    const polledAt = history.polledAt(feed.id);
    if (polledAt === undefined || polledAt > now) {
      unknown.push(i);
      continue;
    }
    // The time of a wait after failures is no fault of the schedule.
    waitedMs = Math.max(waitedMs, now - Math.max(polledAt, dueAt(feed)));
    const waited = now - Math.max(polledAt, feed.parked?.until ?? 0);
    const isUnfinished = history.isUnfinished(feed.id);
    const isUsual = feed.phase === 'live' || isUnfinished || isRare(feed);
    const wait = isUsual ? waited : Math.max(waited, maxWaitMs);
    longest = Math.max(longest, wait);
    const rate = rates[history.rates.bucketOf(feed, now)] ?? 0;
    waits[i] = isRare(feed) ? 0 : wait;
    ranks[i] = isUnfinished ? UNFINISHED * (1 + wait) : rate * wait * wait;
  }
  for (const i of unknown) waits[i] = ranks[i] = longest + 1;
  return { waits, ranks, waitedMs };
}

/** The indexes of this many feeds with the highest ranks. */
function highest(ranks: Float64Array, count: number): number[] {
  const lowest = ranks.toSorted()[ranks.length - count] ?? Infinity;
  const above: number[] = [];
  const equal: number[] = [];
  for (let i = 0; i < ranks.length; i += 1) {
    const rank = ranks[i] ?? 0;
    if (rank > lowest) above.push(i);
    else if (rank === lowest) equal.push(i);
  }
  return [...above, ...equal.slice(0, count - above.length)];
}

/** Infinity equals Infinity, but their difference is NaN. */
function compareRanks(a = 0, b = 0): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
