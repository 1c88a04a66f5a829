import { type Feed } from '../model/feed.ts';
import { type EntityKey, type EntityState } from '../model/entity-state.ts';
import { type LeaseGuard } from './lease-guard.ts';

/** The right to work on a shard for a while. Never two owners at once. */
export interface Lease {
  readonly shard: string;
  /** Names the run. */
  readonly owner: string;
  /** When it ends unless renewed, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A shard as a run finds it. */
export interface ShardView {
  /** In no particular order. */
  readonly feeds: Feed[];
  /** Absent where nothing was saved, or it cannot be read. */
  readonly plan?: Uint8Array;
}

/** Where feeds, known entities and the lease are kept. */
export interface StateStore {
  /**
   * Checks the table's format version, and migrates an older format. Call it with the lease held,
   * before any feed is loaded. Once it has resolved, further calls on this store do nothing.
   *
   * A migration that the guard stops is continued by the next call.
   *
   * @throws TableFormatError when the format is newer; nothing was written.
   */
  openTable(guard?: LeaseGuard): Promise<void>;

  /**
   * Takes the lease if it is free, has ended before `now`, or is the owner's already.
   *
   * @returns false when another run holds it.
   */
  acquireLease(lease: Lease, now: number): Promise<boolean>;

  /**
   * Prolongs a held lease to `lease.until`.
   *
   * @throws LeaseLostError when it is no longer the owner's.
   */
  renewLease(lease: Lease): Promise<void>;

  /** Gives the lease back. Does nothing when it is no longer the owner's. */
  releaseLease(lease: Lease): Promise<void>;

  /**
   * What a run needs to begin: all feeds in the given partitions, and what {@link savePollHistory} kept. May
   * be a little behind: what was written just now may be missing.
   */
  loadShard(partitions: readonly number[]): Promise<ShardView>;

  /**
   * Keeps what the planner of these partitions remembers, in place of what it kept before. Losing it
   * does no harm.
   */
  savePollHistory(partitions: readonly number[], packed: Uint8Array): Promise<void>;

  /** All feeds in the given partitions, see {@link feedPartition}, in no particular order. */
  loadFeeds(partitions: readonly number[]): Promise<Feed[]>;

  /**
   * Adds feeds. One whose id is there already is left as it is, whatever its state.
   *
   * @returns the ids of those.
   */
  addFeeds(feeds: readonly Feed[]): Promise<readonly string[]>;

  /**
   * Replaces a feed if its stored revision still is `feed.revision`.
   *
   * @returns the feed as stored, with the next revision.
   * @throws FeedConflictError when another run committed it in the meantime, or it is gone.
   */
  commitFeed(feed: Feed): Promise<Feed>;

  /** What is known of the given entities of a feed; unknown ones are absent from the map. */
  loadStates(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>>;

  /** All that is known of a feed whose key starts with the prefix: the children of one parent. */
  loadChildStates(feedId: string, prefix: string): Promise<EntityState[]>;

  /**
   * Saves known entities, each over what was there. Resolves when all are saved. Content that is
   * too large to keep is replaced by `digests`.
   *
   * @throws LeaseLostError when the permit ends before all are saved.
   */
  saveStates(feedId: string, known: readonly EntityState[], guard?: LeaseGuard): Promise<void>;
}
