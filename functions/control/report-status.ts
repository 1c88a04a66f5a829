import { healthOf } from '../core/feeds/health.ts';
import {
  configuredResource,
  dueAt,
  FEED_PARTITIONS,
  feedPartition,
  resourceOf,
  type Feed,
} from '../core/model/feed.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { isoTime } from '../core/model/timestamp.ts';
import { decodeHandover, type Handover } from '../core/run/handover.ts';
import { decode, noteIn } from '../core/schedule/poll-history-codec.ts';
import type { OperatedStore } from './ports.ts';
import type { ListState, ListStatus, StatusAnswer, StatusRequest } from './protocol.ts';
import { reportJobs } from './report-jobs.ts';
import { selectLists, untilFull } from './select-lists.ts';
import { unmatchedProjects } from './unmatched-projects.ts';

/** All partitions of feeds. */
export const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);

export type StatusStore = Pick<
  OperatedStore,
  'loadTaken' | 'loadPollHistory' | 'loadShard' | 'loadAllPaused'
>;

/** All lists of the account as the table has them, and what is to be done. */
export interface Account {
  /** By shard. */
  readonly shards: readonly ShardAccount[];
  readonly feeds: readonly Feed[];
  /** Start of the last poll, by feed id. */
  readonly polledAt: ReadonlyMap<string, number>;
  /** Whether an operator has paused all lists. */
  readonly isAllPaused: boolean;
}

/** What the runs of a shard have left. */
interface ShardAccount {
  readonly isRunning: boolean;
  readonly handover: Handover;
  readonly pollHistory: Uint8Array | undefined;
}

/** Loads the account. A few seconds may be missing: the reads are eventually consistent. */
export async function loadAccount(
  store: StatusStore,
  shardCount: number,
  now: number,
): Promise<Account> {
  const numbers = Array.from({ length: shardCount }, (_, shard) => shard);
  const [feeds, isAllPaused, taken, histories] = await Promise.all([
    store.loadShard(ALL_PARTITIONS),
    store.loadAllPaused(),
    store.loadTaken(now),
    Promise.all(numbers.map((shard) => store.loadPollHistory(shard))),
  ]);
  const shards = histories.map((pollHistory, shard) => ({
    // The first partition of a shard has its number.
    isRunning: taken.has(shard),
    handover: decodeHandover(noteIn(pollHistory), now),
    pollHistory,
  }));
  const polledAt = lastPolls(feeds, shards, now);
  return { shards, feeds, polledAt, isAllPaused };
}

/** When lists were last polled, by their ids. */
function lastPolls(
  feeds: readonly Feed[],
  shards: readonly ShardAccount[],
  now: number,
): ReadonlyMap<string, number> {
  const ids = feeds.map(({ id }) => id);
  const histories = shards.map(({ pollHistory }) => decode(pollHistory, ids, now));
  const polls = feeds.flatMap((feed) => {
    const { id } = feed;
    const shard = feedPartition(feed) % shards.length;
    // Polls are remembered only where requests are short: else a run polls all that is due.
    const polledAllAt = shards[shard]?.handover.polledAllAt ?? 0;
    const known = histories[shard]?.polledAt(id) ?? 0;
    const at = Math.max(known, healthOf(feed) === 'ok' ? polledAllAt : 0);
    return at === 0 ? [] : [[id, at] as const];
  });
  return new Map(polls);
}

/**
 * Reports where the lists stand.
 *
 * @param inScope the feeds of which the request asks for some, one by one.
 * @param now milliseconds since 1970.
 */
export function reportStatus(
  account: Account,
  inScope: readonly Feed[],
  request: StatusRequest,
  catalog: Catalog,
  now: number,
): StatusAnswer {
  const { shards, feeds, isAllPaused } = account;
  const lists = selectLists(
    inScope.map((feed) => describeFeed(feed, account, catalog, now)),
    request,
  );
  const handovers = shards.map(({ handover }) => handover);
  const [outage] = handovers.flatMap((each) => each.outage ?? []).sort((a, b) => a.since - b.since);
  const [limited] = handovers.flatMap((each) => each.limited ?? []);
  const unmatched = unmatchedProjects(feeds, catalog);
  const [token] = handovers.flatMap((each) => each.token ?? []);
  return {
    command: 'status',
    shards: shards.length,
    totals: {
      lists: feeds.length,
      byState: countStates(account, catalog),
    },
    ...(isAllPaused && { isAllPaused }),
    ...(unmatched.length > 0 && { unmatchedProjects: unmatched }),
    ...(token && { token }),
    ...(outage && { outageSince: isoTime(outage.since) }),
    ...(outage && { outageCause: outage.cause }),
    ...(limited &&
      limited.until > now && {
        limited: { since: isoTime(limited.since), until: isoTime(limited.until) },
      }),
    runs: shards.map(({ isRunning }, shard) => ({ shard, isRunning })),
    matchCount: lists.length,
    lists: untilFull(lists, request.limit),
    jobs: reportJobs(feeds),
  };
}

function countStates(
  { feeds, isAllPaused }: Account,
  catalog: Catalog,
): StatusAnswer['totals']['byState'] {
  const counts: Record<ListState, number> = {
    live: 0,
    baseline: 0,
    waiting: 0,
    paused: 0,
    parked: 0,
    'not polled': 0,
  };
  for (const feed of feeds) counts[stateOf(feed, catalog, isAllPaused)] += 1;
  return counts;
}

/** Where a feed stands, in a word. */
export function stateOf(feed: Feed, catalog: Catalog, isAllPaused = false): ListState {
  if (resourceOf(catalog, feed) === undefined) return 'not polled';
  if (isAllPaused) return 'paused';
  const health = healthOf(feed);
  return health === 'ok' ? feed.phase : health;
}

function describeFeed(
  feed: Feed,
  { polledAt, isAllPaused }: Account,
  catalog: Catalog,
  now: number,
): ListStatus {
  const { id, projectId, cursor, wait, lastChange, job } = feed;
  const nextPollAt = dueAt(feed);
  const polled = polledAt.get(id);
  const resource = configuredResource(catalog, feed)?.name;
  return {
    list: id,
    ...(projectId !== undefined && { projectId }),
    ...(resource !== undefined && { resource }),
    state: stateOf(feed, catalog, isAllPaused),
    ...(cursor !== undefined && { cursor }),
    ...(polled !== undefined && {
      lastPollAt: isoTime(polled),
      lagSeconds: Math.max(0, Math.round((now - polled) / 1000)),
    }),
    ...(lastChange !== undefined && { lastChangeAt: isoTime(lastChange) }),
    ...(feed.saturatedAt !== undefined && { saturatedAt: feed.saturatedAt }),
    ...(wait && {
      failures: wait.failures,
      failingSince: isoTime(wait.since),
      cause: wait.cause,
    }),
    ...(nextPollAt > now && { nextPollAt: isoTime(nextPollAt) }),
    ...(job && { job }),
  };
}
