import { isProjectsFeed, type Feed } from '../model/feed.ts';
import { achievableWait, dueNow, type WaitLimits } from './deadlines.ts';
import type { PollHistory } from './poll-history.ts';

export interface RankOptions extends WaitLimits {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/** The outcome of ranking. */
export interface Ranking {
  /** Feeds to poll, in this order; no more than the budget allows. */
  readonly feeds: readonly Feed[];
  /** Feeds that may be polled now: all that are not backing off. */
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
 * 2. If the budget covers all feeds, all of them: those that are {@link dueNow} first, since the time of the run may not
 *    cover all, and those that have just failed last, since each may take long to fail again.
 * 3. Otherwise feeds that are {@link dueNow}, longest wait first; then unfinished lists, longest wait
 *    first; then feeds with the highest *rate of changes × square of the time since the last poll*. Parked
 *    feeds get a tenth of the budget, or what the others leave: an account may have many more of them. They
 *    are polled between the others, see {@link spread}.
 *
 * An unseen change costs a second of delay each second. A feed with rate r, polled t seconds ago, has
 * r·t expected changes of age t/2 each: r·t²/2 seconds of delay. Polling the feeds with most delay polls
 * each in proportion to √r, which gives the smallest mean delay if rates are known. ChangeRates learns them.
 *
 * A feed without history, such as a new feed, counts as if it had waited longest. A feed that is in its
 * baseline, or back from a failure or from being parked, counts as if it had waited for the maximum wait.
 */
export function rankFeeds(
  feeds: Iterable<Feed>,
  history: PollHistory,
  options: RankOptions,
): Ranking {
  const first: Feed[] = [];
  const others: Feed[] = [];
  const parked: Feed[] = [];
  for (const feed of feeds) {
    if (feed.notBefore > options.now) continue;
    // With a budget of one request, polling the projects each time would starve all others.
    if (isProjectsFeed(feed) && options.budget > 1) first.push(feed);
    else (isRare(feed) ? parked : others).push(feed);
  }
  const budget = Math.max(0, options.budget - first.length);
  const rare = earliestParked(parked, { budget, others: others.length, random: options.random });
  const remaining = {
    ...options,
    budget: budget - rare.length,
    budgetPerTurn: Math.max(0, options.budgetPerTurn - first.length - rare.length),
  };
  const limits = { ...remaining, maxWaitMs: achievableWait(others.length, remaining) };
  const { waits, ranks, waitedMs } = scoreFeeds(others, history, limits);
  // Also if the budget covers all: the time of the run may not.
  for (const i of dueNow(waits, ranks, limits)) ranks[i] = Infinity;
  const isShort = limits.budget < others.length;
  const chosen = isShort ? highest(ranks, limits.budget) : [...ranks.keys()];
  chosen.sort((a, b) => compareRanks(ranks[b], ranks[a]) || compareRanks(waits[b], waits[a]));
  const ranked = chosen.flatMap((i) => others[i] ?? []);
  return {
    feeds: [...first, ...spread(rare, isShort ? ranked : failingLast(ranked, limits))],
    pollableCount: first.length + others.length + parked.length,
    waitedMs,
    achievableWaitMs: limits.maxWaitMs,
  };
}

/**
 * Failing feeds behind the others, unless the time of runs ends before their turn until they have
 * waited for too long.
 */
function failingLast(
  feeds: readonly Feed[],
  { now, maxWaitMs }: Pick<RankOptions, 'now' | 'maxWaitMs'>,
): Feed[] {
  const isLast = ({ failures, notBefore }: Feed): boolean =>
    failures > 0 && notBefore > now - maxWaitMs;
  return [...feeds.filter((feed) => !isLast(feed)), ...feeds.filter(isLast)];
}

/** Whether a feed is parked, and was polled since: one whose project was just deleted may have last changes. */
function isRare({ parked, notBefore }: Feed): boolean {
  return parked !== undefined && notBefore > 0;
}

/** Share of the budget for parked feeds when it is short. */
const PARKED_SHARE = 0.1;
/** So many others come between two parked feeds, that a tenth of all are parked. */
const OTHERS_PER_PARKED = 9;

/** The parked feeds to poll: those that have been due for longest. A share of less than one gets its turn by chance. */
function earliestParked(
  parked: readonly Feed[],
  options: { readonly budget: number; readonly others: number; readonly random: () => number },
): Feed[] {
  const { budget, others, random } = options;
  const share = Math.floor(PARKED_SHARE * budget + random());
  const count = Math.max(Math.min(share, budget), budget - others);
  return parked.toSorted((a, b) => a.notBefore - b.notBefore).slice(0, count);
}

/**
 * Parked feeds between the others, a tenth of all: behind them they might never be polled, since the others may take all
 * requests, or the time, of each run. Before them they might take all of it, since each that fails may take long.
 */
function spread(parked: readonly Feed[], others: readonly Feed[]): readonly Feed[] {
  if (parked.length === 0) return others;
  const feeds: Feed[] = [];
  let next = 0;
  for (const [n, feed] of others.entries()) {
    if (n % OTHERS_PER_PARKED === 0 && next < parked.length)
      feeds.push(...parked.slice(next, (next += 1)));
    feeds.push(feed);
  }
  return [...feeds, ...parked.slice(next)];
}

/** Scores by feed index. */
interface Scores {
  /** Waits that count for the deadlines. */
  readonly waits: Float64Array;
  /** Expected delay, with a little chance so that equals take turns. */
  readonly ranks: Float64Array;
  /** Longest wait that is known. */
  readonly waitedMs: number;
}

/** Factor that lifts unfinished lists above every expected delay. */
const UNFINISHED = 1e200;

function scoreFeeds(feeds: readonly Feed[], history: PollHistory, options: RankOptions): Scores {
  const { now, maxWaitMs, random } = options;
  const rates = history.rates.rates();
  const waits = new Float64Array(feeds.length);
  const ranks = new Float64Array(feeds.length);
  let [waitedMs, longest] = [0, maxWaitMs];
  const unknown: number[] = [];
  // A plain loop: it takes most of the ranking's time at 200,000 feeds, see test/bench/scale-table.ts.
  for (let i = 0; i < feeds.length; i += 1) {
    const feed = feeds[i];
    if (feed === undefined) continue;
    const polledAt = history.polledAt(feed.id);
    if (polledAt === undefined || polledAt > now) {
      unknown.push(i);
      continue;
    }
    const isUsual = feed.phase === 'live' && feed.failures === 0 && feed.parked === undefined;
    // A feed does not wait while it is backing off.
    const waited = now - Math.max(polledAt, feed.notBefore);
    waitedMs = Math.max(waitedMs, waited);
    const isUnfinished = history.isUnfinished(feed.id);
    const wait = isUsual || isUnfinished ? waited : Math.max(waited, maxWaitMs);
    longest = Math.max(longest, wait);
    const rate = rates[history.rates.bucketOf(feed, now)] ?? 0;
    waits[i] = wait;
    ranks[i] = isUnfinished ? UNFINISHED * (1 + wait) : rate * wait * wait * (1 + random() / 1000);
  }
  for (const i of unknown) waits[i] = ranks[i] = longest + 1 + random();
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
