import { healthOf } from '../core/feeds/health.ts';
import {
  configuredResource,
  dueAt,
  feedPartition,
  isProjectsFeed,
  resourceOf,
  type Feed,
} from '../core/model/feed.ts';
import { hasJob, sumCounts, type Job, type JobOutcome } from '../core/model/job.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { isoTime } from '../core/model/timestamp.ts';
import { decode } from '../core/schedule/poll-history-codec.ts';
import type { PollHistory } from '../core/schedule/poll-history.ts';
import { orderedAt } from './change-feeds.ts';
import type { ControlContext } from './ports.ts';
import type { JobsStatus, ListState, ListStatus, StatusAnswer, StatusRequest } from './protocol.ts';
import { ALL_PARTITIONS, feedsInScope } from './scope.ts';
import { selectLists, untilFull } from './select-lists.ts';
import { healthOfWebhook } from './webhooks.ts';

/** The most lists that the status names as problems of a command. */
const MAX_PROBLEMS = 20;

/** The context of a list's status. */
interface Account {
  readonly catalog: Catalog;
  readonly isAllPaused: boolean;
  /** As the last runs left them, by shard. */
  readonly histories: readonly PollHistory[];
  readonly now: number;
}

/** Reports where the lists stand. Last polls, outages and limits are as the last runs left them. */
export async function reportStatus(
  request: StatusRequest,
  context: ControlContext,
): Promise<StatusAnswer> {
  const { store, quarantine, catalog, shardCount, webhooks } = context;
  const now = context.now();
  const feeds = await store.loadFeeds(ALL_PARTITIONS);
  const [isAllPaused, leases, histories, quarantined, health] = await Promise.all([
    store.loadAllPaused(),
    store.loadLeases(),
    loadHistories(feeds, context),
    quarantine.list(),
    Promise.all(webhooks.deployed.map((each) => healthOfWebhook(each, webhooks))),
  ]);
  const account = { catalog, isAllPaused, histories, now };
  const inScope = feedsInScope(feeds, catalog, request.scope ?? {});
  const described = inScope.map((feed) => describeFeed(feed, account));
  const lists = selectLists(described, request);
  const unmatched = unmatchedProjects(feeds, catalog);
  const ill = health.filter(({ failingSince, disabledAt }) => failingSince ?? disabledAt);
  return {
    command: 'status',
    shards: shardCount,
    totals: { lists: feeds.length, byState: countStates(feeds, account) },
    isAllPaused: isAllPaused || undefined,
    quarantinedCount: quarantined.length > 0 ? quarantined.length : undefined,
    unmatchedProjects: unmatched.length > 0 ? unmatched : undefined,
    ...describeService(account),
    // The first partition of a shard has its number.
    runs: histories.map(({ savedAt }, shard) => ({
      ...{ shard, completedAt: timeOf(savedAt), takenUntil: timeOf(leases.get(shard)) },
    })),
    webhooks: ill.length > 0 ? ill : undefined,
    matchCount: lists.length,
    lists: untilFull(lists, request.limit),
    jobs: reportJobs(feeds),
  };
}

async function loadHistories(
  feeds: readonly Feed[],
  { store, shardCount, now }: ControlContext,
): Promise<readonly PollHistory[]> {
  const ids = feeds.map(({ id }) => id);
  const shards = Array.from({ length: shardCount }, async (_, shard) =>
    decode(await store.loadPollHistory(shard), ids, now()),
  );
  return Promise.all(shards);
}

/** Whether the service can be asked, as far as a run of any shard knows. */
function describeService({ histories, now }: Account) {
  const notes = histories.map(({ note }) => note);
  const [outage] = notes.flatMap((each) => each.outage ?? []).sort((a, b) => a.since - b.since);
  const limited = notes.find((each) => (each.limited?.until ?? 0) > now)?.limited;
  return {
    token: notes.find(({ token }) => token)?.token,
    outageSince: timeOf(outage?.since),
    outageCause: outage?.cause,
    limited: limited && { since: isoTime(limited.since), until: isoTime(limited.until) },
  };
}

/**
 * Entries of the config field `projects` that select no project, or only deleted ones. None before
 * the list of projects was read to its end.
 */
export function unmatchedProjects(
  feeds: readonly Feed[],
  { selection: { projects: entries = [] } }: Pick<Catalog, 'selection'>,
): readonly string[] {
  const list = feeds.find(isProjectsFeed);
  if (list?.phase !== 'live' || list.cursor === undefined) return [];
  const live = feeds.filter(({ parked }) => parked === undefined);
  const ids = new Set(live.map(({ projectId }) => projectId?.toLowerCase()));
  return entries.filter((id) => !ids.has(id));
}

function countStates(
  feeds: readonly Feed[],
  { catalog, isAllPaused }: Account,
): StatusAnswer['totals']['byState'] {
  const counts = { live: 0, baseline: 0, waiting: 0, paused: 0, parked: 0, 'not-polled': 0 };
  for (const feed of feeds) counts[stateOf(feed, catalog, isAllPaused)] += 1;
  return counts;
}

/** Where a feed stands, in a word. */
export function stateOf(feed: Feed, catalog: Catalog, isAllPaused = false): ListState {
  if (resourceOf(catalog, feed) === undefined) return 'not-polled';
  if (isAllPaused) return 'paused';
  const health = healthOf(feed);
  return health === 'ok' ? feed.phase : health;
}

function describeFeed(feed: Feed, account: Account): ListStatus {
  const { id, projectId, cursor, wait, lastChange, saturatedAt, job } = feed;
  const { catalog, isAllPaused, now } = account;
  const nextPollAt = dueAt(feed);
  const polledAt = lastPollOf(feed, account);
  return {
    list: id,
    projectId,
    resource: configuredResource(catalog, feed)?.name,
    state: stateOf(feed, catalog, isAllPaused),
    cursor,
    lastPollAt: timeOf(polledAt),
    lagSeconds: polledAt && Math.max(0, Math.round((now - polledAt) / 1000)),
    lastChangeAt: timeOf(lastChange),
    saturatedAt,
    failures: wait?.failures,
    failingSince: timeOf(wait?.since),
    cause: wait?.cause,
    nextPollAt: nextPollAt > now ? isoTime(nextPollAt) : undefined,
    job,
  };
}

/** Polls are remembered only where requests are short: otherwise a run polls all that is due. */
function lastPollOf(feed: Feed, { histories }: Account): number | undefined {
  const history = histories[feedPartition(feed) % histories.length];
  const polledAllAt = healthOf(feed) === 'ok' ? history?.note.polledAllAt : undefined;
  return Math.max(history?.polledAt(feed.id) ?? 0, polledAllAt ?? 0) || undefined;
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : isoTime(ms);
}

/** Sums up jobs by their commands: those that go on, and the last of each kind, by time. */
function reportJobs(feeds: readonly Feed[]): JobsStatus[] {
  const jobs = feeds.flatMap(({ id, job }) => (job ? [{ list: id, job }] : []));
  const byCommand = [...Map.groupBy(jobs, ({ job }) => job.id).values()];
  const all = byCommand
    .flatMap((some) => (some[0] ? sumUp(some[0].job, some) : []))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const last = new Map(all.map((each) => [each.command, each]));
  return all.filter((each) => each.waiting > 0 || last.get(each.command) === each);
}

interface ListJob {
  readonly list: string;
  readonly job: Job;
}

function sumUp({ id, name: command }: Job, lists: readonly ListJob[]): JobsStatus {
  const outcomes: Partial<Record<JobOutcome, number>> = {};
  const skipped: Record<string, number> = {};
  for (const { job } of lists) {
    const { outcome, cause } = job;
    if (outcome) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (outcome === 'skipped' && cause) skipped[cause] = (skipped[cause] ?? 0) + 1;
  }
  const problems = lists.flatMap(({ list, job: { outcome, cause } }) =>
    outcome === undefined || cause === undefined ? [] : [{ list, outcome, cause }],
  );
  return {
    id,
    command,
    startedAt: orderedAt(id),
    lists: lists.length,
    waiting: lists.filter(hasJob).length,
    outcomes,
    counts: sumCounts(lists.map(({ job }) => job.counts)),
    skipped,
    // Those that were tried come first.
    problems: problems
      .toSorted((a, b) => Number(a.outcome === 'skipped') - Number(b.outcome === 'skipped'))
      .slice(0, MAX_PROBLEMS),
  };
}
