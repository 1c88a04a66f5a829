import { unmatchedProjects } from '../core/feeds/unmatched-projects.ts';
import { leaseName } from '../core/lease/shard-layout.ts';
import {
  isListLeft,
  isLong,
  NO_PROGRESS,
  sumOfCounts,
  type PlacedCommand,
} from '../core/model/command.ts';
import { configuredResource, partitionsOf, resourceOf, type Feed } from '../core/model/feed.ts';
import type { ReconcileReport } from '../core/model/reconcile-report.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { isoTime } from '../core/model/timestamp.ts';
import type { Lease, ShardLayout, StateStore } from '../core/ports/state-store.ts';
import { decodeHandover } from '../core/run/handover.ts';
import { decode } from '../core/schedule/poll-history-codec.ts';
import { ALL_PARTITIONS, placedAt } from './place-command.ts';
import type {
  CommandStatus,
  ListState,
  ListStatus,
  StatusAnswer,
  StatusRequest,
} from './protocol.ts';
import { reportReconcile } from './report-reconcile.ts';
import { selectLists, untilFull } from './select-lists.ts';

export type StatusStore = Pick<
  StateStore,
  'loadLayout' | 'loadLease' | 'loadShard' | 'loadAllPaused'
>;

/** All lists of the account as the table has them, and what is to be done. */
export interface Account {
  readonly layout: ShardLayout;
  /** By shard. */
  readonly leases: readonly (Lease | undefined)[];
  readonly feeds: readonly Feed[];
  /** Start of the last poll, by feed id. */
  readonly polledAt: ReadonlyMap<string, number>;
  readonly commands: readonly PlacedCommand[];
  /** Of the last reconciliations, by partition. */
  readonly reports: readonly ReconcileReport[];
  /** Whether an operator has paused all lists. */
  readonly isAllPaused: boolean;
}

/** Loads the account. A few seconds may be missing: the reads are eventually consistent. */
export async function loadAccount(store: StatusStore, now: number): Promise<Account> {
  // No number of shards is known, so the layout is always read.
  const layout = await store.loadLayout(0);
  const { shardCount } = layout;
  const [isAllPaused, ...shards] = await Promise.all([
    store.loadAllPaused(),
    ...Array.from({ length: shardCount }, (_, shard) => loadShard(shard, layout, store, now)),
  ]);
  return {
    layout,
    leases: shards.map(({ lease }) => lease),
    feeds: shards.flatMap(({ feeds }) => feeds),
    polledAt: new Map(shards.flatMap(({ polledAt }) => polledAt)),
    commands: shards.flatMap(({ commands }) => commands),
    reports: shards.flatMap(({ reports }) => reports),
    isAllPaused,
  };
}

async function loadShard(shard: number, layout: ShardLayout, store: StatusStore, now: number) {
  const [lease, view] = await Promise.all([
    store.loadLease(leaseName(layout, shard)),
    store.loadShard(partitionsOf(shard, layout.shardCount)),
  ]);
  const { feeds, commands, reports, pollHistory } = view;
  const ids = feeds.map(({ id }) => id);
  const history = decode(pollHistory, ids, now);
  // A history is saved only where requests are short: else a run polls all that is due.
  const { polledAllAt = 0 } = decodeHandover(lease?.note, now);
  const polledAt = feeds.flatMap(({ id, notBefore, paused, parked, failures }) => {
    // One that has failed was not polled since: it would wait again, or have succeeded.
    const isActive = !paused && parked === undefined && failures === 0;
    const isDue = isActive && polledAllAt > 0 && notBefore <= polledAllAt;
    const at = Math.max(history.polledAt(id) ?? 0, isDue ? polledAllAt : 0);
    return at === 0 ? [] : [[id, at] as const];
  });
  return { lease, feeds, commands, reports, polledAt };
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
  const { layout, leases, feeds, isAllPaused } = account;
  const reconciliation = reportReconcile(account.commands, account.reports);
  const lists = selectLists(
    inScope.map((feed) => describeFeed(feed, account, catalog, now)),
    request,
  );
  const handovers = leases.map((lease) => decodeHandover(lease?.note, now));
  const [outage] = handovers.flatMap((each) => each.outage ?? []).sort((a, b) => a.since - b.since);
  const unmatched = unmatchedProjects(feeds, catalog, ALL_PARTITIONS);
  const [token] = handovers.flatMap((each) => each.token ?? []);
  return {
    command: 'status',
    shards: layout.shardCount,
    totals: {
      lists: feeds.length,
      failing: feeds.filter((feed) => feed.failures > 0).length,
      byState: countStates(account, catalog),
    },
    ...(isAllPaused && { isAllPaused }),
    ...(unmatched.length > 0 && { unmatchedProjects: unmatched }),
    ...(token && { token }),
    ...(outage && { outageSince: isoTime(outage.since) }),
    ...(outage?.cause !== undefined && { outageCause: outage.cause }),
    runs: leases.map((lease, shard) => ({
      shard,
      isRunning: lease !== undefined && lease.owner !== '' && lease.expiresAt > now,
    })),
    matchCount: lists.length,
    lists: untilFull(lists, request.limit),
    commands: describeCommands(account, catalog),
    ...(reconciliation && { reconciliation }),
  };
}

function countStates(
  { feeds, isAllPaused }: Account,
  catalog: Catalog,
): StatusAnswer['totals']['byState'] {
  const counts: Record<ListState, number> = {
    live: 0,
    baseline: 0,
    paused: 0,
    refused: 0,
    'project deleted': 0,
    'not polled': 0,
  };
  for (const feed of feeds) counts[stateOf(feed, catalog, isAllPaused)] += 1;
  return counts;
}

/** Where a feed stands, in a word. */
export function stateOf(feed: Feed, catalog: Catalog, isAllPaused = false): ListState {
  if (resourceOf(catalog, feed) === undefined) return 'not polled';
  if (feed.paused || isAllPaused) return 'paused';
  if (feed.parked === 'project-deleted') return 'project deleted';
  return feed.parked ?? feed.phase;
}

function describeFeed(
  feed: Feed,
  { polledAt, isAllPaused }: Account,
  catalog: Catalog,
  now: number,
): ListStatus {
  const { id, projectId, cursor, failures, failingSince, cause, lastChange, notBefore } = feed;
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
    ...(failures > 0 && { failures }),
    ...(failingSince !== undefined && { failingSince: isoTime(failingSince) }),
    ...(cause !== undefined && { cause }),
    ...(notBefore > now && { nextPollAt: isoTime(notBefore) }),
  };
}

/** The commands that are not carried out, by the time at which they were placed. */
export function describeCommands(
  { commands, feeds }: Pick<Account, 'commands' | 'feeds'>,
  catalog: Catalog,
): CommandStatus[] {
  const byId = Map.groupBy(commands, ({ command }) => command.id);
  return Array.from(byId.values(), (parts) => describeCommand(parts, feeds, catalog)).sort((a, b) =>
    a.id < b.id ? -1 : 1,
  );
}

function describeCommand(
  parts: readonly PlacedCommand[],
  feeds: readonly Feed[],
  catalog: Catalog,
): CommandStatus {
  const [{ command } = { command: undefined }] = parts;
  if (command === undefined) throw new RangeError('a command has at least one part');
  const { id, name, scope } = command;
  const status = { id, command: name, scope, placedAt: placedAt(id), partitions: parts.length };
  if (!isLong(command)) return status;
  const isLeft = (feed: Feed): boolean => {
    const resource = configuredResource(catalog, feed)?.name;
    return parts.some((part) => isListLeft(feed, resource, part));
  };
  const counts = sumOfCounts(parts.map(({ progress = NO_PROGRESS }) => progress.counts));
  return { ...status, progress: { listsLeft: feeds.filter(isLeft).length, counts } };
}
