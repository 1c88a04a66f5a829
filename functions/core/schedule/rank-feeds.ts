import type { Feed } from '../model/feed.ts';
import { achievableWait, dueNow, type WaitLimits } from './deadlines.ts';
import type { PollHistory } from './poll-history.ts';

/** What a plan has to work with. */
export interface RankOptions extends WaitLimits {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/** Which feeds to poll now. */
export interface RankedFeeds {
  /** In the order in which they are polled; no more than the budget allows. */
  readonly feeds: readonly Feed[];
  /** Feeds that may be polled now: all but those that are put off. */
  readonly due: number;
  /** How long one of them has waited already, at the most, in milliseconds. */
  readonly waitedMs: number;
  /** The longest wait that is kept, in milliseconds: longer than wanted when the budget is too small. */
  readonly achievableWaitMs: number;
}

/**
 * Which feeds to poll now, and in what order.
 *
 * The projects come first, since what they show decides about the other feeds. If the budget covers
 * all feeds, all are polled. Otherwise those come next that have to be polled for the longest wait to
 * be kept, see {@link dueNow}; and then those with the highest *rate of changes × square of the time
 * since the last poll*:
 *
 * A change that nobody has seen costs a second of delay each second. Of a feed with rate r that was
 * polled t seconds ago, r·t changes are expected, half of t old each: r·t²/2 seconds of delay have
 * gathered there. Polling where most has gathered polls each feed in proportion to √r, which is what
 * makes the mean delay smallest when rates are known. They are not: {@link ChangeRates} tells them.
 *
 * Those that have to go are polled in the order of their waits, so that none starves where there are
 * more of them than the budget covers. A feed of which nothing is known, as a new one, counts as the one
 * that has waited longest. One that is back from a failure or from being parked counts as if it had
 * waited for the longest wait. A feed whose list was left unfinished goes on behind those that have to
 * go and before all others, the one that has waited longest first: a catch-up takes many requests, and
 * nobody's longest wait.
 */
export function rankFeeds(
  feeds: Iterable<Feed>,
  memory: PollHistory,
  options: RankOptions,
): RankedFeeds {
  const due: Feed[] = [];
  const first: Feed[] = [];
  for (const feed of feeds) {
    if (feed.notBefore > options.at) continue;
    // With a budget of one request, polling the projects each time would starve all others.
    (feed.projectId === undefined && options.now > 1 ? first : due).push(feed);
  }
  const left = {
    ...options,
    now: Math.max(0, options.now - first.length),
    perTurn: Math.max(0, options.perTurn - first.length),
  };
  const bound = { ...left, maxWaitMs: achievableWait(due.length, left) };
  const ranking = rank(due, memory, { ...options, ...bound });
  const { waits, ranks, waitedMs } = ranking;
  const chosen = bound.now < due.length ? choose(ranking, bound) : [...ranks.keys()];
  chosen.sort((a, b) => compareRanks(ranks[b], ranks[a]) || compareRanks(waits[b], waits[a]));
  return {
    feeds: [...first, ...chosen.flatMap((i) => due[i] ?? [])],
    due: due.length + first.length,
    waitedMs,
    achievableWaitMs: bound.maxWaitMs,
  };
}

/** How the feeds stand, by index. */
interface Ranking {
  /** How long each has waited, as far as that counts for the plan. */
  readonly waits: Float64Array;
  /** The expected delay that has gathered at each; a little chance in it lets equals take turns. */
  readonly ranks: Float64Array;
  /** How long one of them is known to have waited at the most. */
  readonly waitedMs: number;
}

/** Times a wait, above the rank of every feed whose list was not left unfinished. */
const UNFINISHED = 1e200;

function rank(feeds: readonly Feed[], memory: PollHistory, options: RankOptions): Ranking {
  const { at, maxWaitMs, random } = options;
  const rates = memory.rates.rates();
  const waits = new Float64Array(feeds.length);
  const ranks = new Float64Array(feeds.length);
  let [waitedMs, longest] = [0, maxWaitMs];
  const unknown: number[] = [];
  // A plain loop: with 200,000 feeds this is what a tick's time goes into.
  for (let i = 0; i < feeds.length; i += 1) {
    const feed = feeds[i];
    if (feed === undefined) continue;
    const polledAt = memory.polledAt(feed.id);
    const isKnown = polledAt !== undefined && polledAt <= at;
    if (!isKnown) {
      unknown.push(i);
      continue;
    }
    const isUsual = feed.phase === 'live' && feed.failures === 0 && feed.parked === undefined;
    // While a feed was put off it did not wait.
    const waited = at - Math.max(polledAt, feed.notBefore);
    waitedMs = Math.max(waitedMs, waited);
    const isUnfinished = memory.isUnfinished(feed.id);
    const wait = isUsual || isUnfinished ? waited : Math.max(waited, maxWaitMs);
    longest = Math.max(longest, wait);
    const rate = rates[memory.rates.bucketOf(feed, at)] ?? 0;
    waits[i] = wait;
    ranks[i] = isUnfinished ? UNFINISHED * (1 + wait) : rate * wait * wait * (1 + random() / 1000);
  }
  for (const i of unknown) {
    waits[i] = longest + 1 + random();
    ranks[i] = waits[i] ?? 0;
  }
  return { waits, ranks, waitedMs };
}

/** The indexes of the feeds to poll: those that are due now, whose ranks rise above all, and the highest others. */
function choose({ waits, ranks }: Ranking, bound: WaitLimits): number[] {
  for (const i of dueNow(waits, ranks, bound)) ranks[i] = Infinity;
  return highest(ranks, bound.now);
}

/** The indexes of so many feeds with the highest ranks. */
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

function compareRanks(a = 0, b = 0): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
