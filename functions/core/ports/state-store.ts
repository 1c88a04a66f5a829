import type { PlacedCommand } from '../model/command.ts';
import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { ProjectOrder } from '../model/project-state.ts';
import type { ReconcileReport } from '../model/reconcile-report.ts';
import type { LeaseGuard } from './lease-guard.ts';

/** How the feeds are divided among shards. Each change of it begins a generation with leases of its own. */
export interface ShardLayout {
  /** 0 in a table that never had another number of shards than 1. */
  readonly generation: number;
  readonly shardCount: number;
  /** Set once the leases of this generation are being closed. */
  readonly isClosing?: true;
  /** The last notes of the generation before. */
  readonly notes?: readonly string[];
}

/** The exclusive, temporary right to publish and save for a shard. */
export interface Lease {
  /** Names the shard and its generation, see `leaseName`. */
  readonly shard: string;
  /** The run. */
  readonly owner: string;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
  /** What the run tells the next one. Absent: the last note stays. */
  readonly note?: string | undefined;
}

/**
 * A lease that ends later than that after the one that is asked for is void: the clock of its owner was wrong.
 * AWS itself accepts no clock that differs by more.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 300_000;

/** A lease that was acquired, or closed and no longer held. */
export interface AcquiredLease {
  /** The note of the last run; absent when there was none. */
  readonly note?: string;
}

/** A shard at the start of a run. */
export interface ShardView {
  /** In no particular order. */
  readonly feeds: Feed[];
  /** Orders for these feeds, in no particular order. */
  readonly orders: ProjectOrder[];
  /** Commands that are not carried out, by the time at which they were placed. */
  readonly commands: PlacedCommand[];
  /** What came of the last reconciliation, by partition. */
  readonly reports: ReconcileReport[];
  /** The poll history; absent when none was saved or it cannot be read. */
  readonly pollHistory?: Uint8Array;
}

/** The version of a stored nested entity. */
export interface ChildVersion extends Pick<EntityState, 'key' | 'version'> {
  /** See {@link EntityState.unpublished}. */
  readonly isUnpublished: boolean;
}

/** A part of a feed's states. */
export interface StatesPage {
  readonly states: readonly EntityState[];
  /** Where the next part begins; absent: there is none. */
  readonly next?: EntityKey;
}

/**
 * Stores feeds, entity states, the poll history, leases, and how the feeds are divided among shards.
 *
 * A call that the table throttles waits and is repeated while the run has time; with a guard, only while the
 * lease is held.
 */
export interface StateStore {
  /**
   * Checks the table's format version; a new table gets the current one. Call it with the lease
   * held, before any feed is loaded. Once it has resolved, further calls on this store do nothing.
   *
   * @throws TableFormatError when the table has another format; nothing was written.
   */
  openTable(guard?: LeaseGuard): Promise<void>;

  /**
   * Checks the table's format version, and changes nothing: for those who hold no lease.
   *
   * @throws TableFormatError when the table has another format.
   */
  checkFormat(): Promise<void>;

  /**
   * How the feeds are divided. May be outdated if it has this number of shards: then its leases are refused,
   * and the next call knows more.
   */
  loadLayout(shardCount: number): Promise<ShardLayout>;

  /** Replaces the layout of a generation. @returns false when the stored one is of another generation. */
  saveLayout(layout: ShardLayout, generation: number): Promise<boolean>;

  /**
   * Closes a lease for ever: nobody acquires it again. A run that holds it keeps it until its end.
   *
   * @param lease `expiresAt` as if it were acquired.
   * @returns undefined while a run holds it.
   */
  closeLease(lease: Lease, now: number): Promise<AcquiredLease | undefined>;

  /**
   * Acquires the lease if it is free, expired before `now`, void (see {@link MAX_CLOCK_DIFFERENCE_MS}), or
   * already the owner's.
   *
   * @returns undefined when another run holds it, or it is closed.
   */
  acquireLease(lease: Lease, now: number): Promise<AcquiredLease | undefined>;

  /** The lease of a shard as it is now; undefined when there never was one. */
  loadLease(shard: string): Promise<Lease | undefined>;

  /**
   * Extends a held lease to `lease.expiresAt`, and saves its note.
   *
   * @throws LeaseLostError when the lease is no longer the owner's.
   */
  renewLease(lease: Lease): Promise<void>;

  /** Releases the lease, and saves its note. Does nothing when it is no longer the owner's. */
  releaseLease(lease: Lease): Promise<void>;

  /**
   * Loads all feeds, orders and commands in the given partitions, and the poll history. Eventually consistent: the
   * latest writes may be missing.
   */
  loadShard(partitions: readonly number[]): Promise<ShardView>;

  /** Replaces the poll history of these partitions. Losing it is harmless. */
  savePollHistory(
    partitions: readonly number[],
    encoded: Uint8Array,
    guard?: LeaseGuard,
  ): Promise<void>;

  /** All feeds in the given partitions, see {@link feedPartition}, in no particular order. */
  loadFeeds(partitions: readonly number[]): Promise<Feed[]>;

  /** The feeds with these ids; those that do not exist are absent. */
  loadFeedsById(feeds: readonly Pick<Feed, 'id' | 'projectId'>[]): Promise<Map<string, Feed>>;

  /** Whether an operator has paused all lists. */
  loadAllPaused(): Promise<boolean>;

  /** Pauses all lists, or ends that. The lists that are paused by themselves stay so. */
  saveAllPaused(isPaused: boolean): Promise<void>;

  /** All orders in the given partitions, in no particular order. */
  loadOrders(partitions: readonly number[]): Promise<ProjectOrder[]>;

  /** Saves orders. One replaces the last of its project, but for its `birth`: the first is kept. */
  saveOrders(orders: readonly ProjectOrder[], guard?: LeaseGuard): Promise<void>;

  /** Deletes orders. One that was replaced meanwhile, or has a `birth` since, is left. */
  deleteOrders(orders: readonly ProjectOrder[], guard?: LeaseGuard): Promise<void>;

  /** The commands in the given partitions, by the time at which they were placed. */
  loadCommands(partitions: readonly number[]): Promise<PlacedCommand[]>;

  /** Places commands, or replaces those that have the same id and partition. */
  saveCommands(commands: readonly PlacedCommand[], guard?: LeaseGuard): Promise<void>;

  /**
   * Saves how far a long command is.
   *
   * @returns false when it is no longer in the table: it was cancelled.
   */
  saveProgress(command: PlacedCommand, guard?: LeaseGuard): Promise<boolean>;

  /** Keeps a report, in place of the last one of its partition. */
  saveReport(report: ReconcileReport, guard?: LeaseGuard): Promise<void>;

  /** Deletes commands that are carried out. */
  deleteCommands(commands: readonly PlacedCommand[], guard?: LeaseGuard): Promise<void>;

  /**
   * Adds feeds. A feed whose id exists is left as it is.
   *
   * @returns the ids that existed.
   */
  addFeeds(feeds: readonly Feed[], guard?: LeaseGuard): Promise<readonly string[]>;

  /**
   * Replaces a feed if its stored revision equals `feed.revision`.
   *
   * @returns the feed as stored, with the next revision.
   * @throws FeedConflictError when another run committed the feed, or it no longer exists.
   */
  commitFeed(feed: Feed, guard?: LeaseGuard): Promise<Feed>;

  /** The states of the given entities of a feed; entities without a state are absent. */
  loadStates(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>>;

  /**
   * Some of the states of a feed, in the order of their keys: as many as one answer of the table holds.
   *
   * @param after the key that the last call returned; absent: from the first.
   */
  loadStatesAfter(feedId: string, after?: EntityKey): Promise<StatesPage>;

  /**
   * The nested entities of a feed whose key starts with the prefix, without those that are deleted, unless
   * they are unpublished. Neither their content nor deleted entities are held in memory.
   */
  loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]>;

  /**
   * The same page by page, in the order of their keys: a list may have millions of entities. A run that saves
   * meanwhile may see a saved state, or the one before.
   */
  liveVersions(feedId: string, prefix: string): AsyncIterable<readonly ChildVersion[]>;

  /**
   * Replaces the states of entities. Content that is too large to keep is replaced by `digests`. These, and
   * the old values and names of changed fields of the last event are left out if they are too large. No state is
   * refused for its size.
   *
   * @throws LeaseLostError when the lease is lost before all are saved.
   */
  saveStates(feedId: string, states: readonly EntityState[], guard?: LeaseGuard): Promise<void>;

  /**
   * Deletes the states of entities; absent ones are ignored.
   *
   * @throws LeaseLostError when the lease is lost before all are deleted.
   */
  deleteStates(feedId: string, keys: readonly EntityKey[], guard?: LeaseGuard): Promise<void>;
}
