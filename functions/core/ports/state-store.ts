import type { EntityKey, EntityState } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';

/** Partitions of feeds that a run has for itself until a time. */
export interface Lease {
  readonly partitions: readonly number[];
  /** The run. */
  readonly owner: string;
  /** In milliseconds since 1970. */
  readonly until: number;
}

/** The version of a stored entity. */
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
 * Stores feeds, entity states, leases, and the poll histories of shards.
 *
 * A call that the table throttles waits and is repeated while the run has time.
 */
export interface StateStore {
  /**
   * Checks the table's format version; a new table gets the current one. Call it before
   * any feed is loaded. Once it has resolved, further calls on this store do nothing.
   *
   * @throws TableFormatError when the table has another format; nothing was written.
   */
  openTable(): Promise<void>;

  /**
   * Takes all partitions of the lease, or none. A partition is free if no run has it, its lease
   * ended before `now`, or the owner has it already.
   *
   * @returns false when another run has one of them.
   */
  takeLease(lease: Lease, now: number): Promise<boolean>;

  /** Frees the partitions of the lease. Does nothing once another run has taken one of them. */
  freeLease(lease: Lease): Promise<void>;

  /** All feeds in these partitions. Eventually consistent: the latest writes may be missing. */
  loadShard(partitions: readonly number[]): Promise<Feed[]>;

  /** The poll history of a shard; undefined when none was saved or it cannot be read. */
  loadPollHistory(shard: number): Promise<Uint8Array | undefined>;

  /** Replaces the poll history of a shard. Losing it is harmless. */
  savePollHistory(shard: number, encoded: Uint8Array): Promise<void>;

  /** The feeds with these ids; those that do not exist are absent. */
  loadFeedsById(feeds: readonly Pick<Feed, 'id' | 'projectId'>[]): Promise<Map<string, Feed>>;

  /** Whether an operator has paused all lists. */
  loadAllPaused(): Promise<boolean>;

  /**
   * Adds feeds. A feed whose id exists is left as it is.
   *
   * @returns the ids that existed.
   */
  addFeeds(feeds: readonly Feed[]): Promise<readonly string[]>;

  /**
   * Replaces a feed if its stored revision equals `feed.revision`.
   *
   * @returns the feed as stored, with the next revision.
   * @throws FeedConflictError when an operator, the list of projects or another run has
   *   written the feed since, or it no longer exists.
   */
  commitFeed(feed: Feed): Promise<Feed>;

  /** The states of the given entities of a feed; entities without a state are absent. */
  loadStates(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>>;

  /**
   * Some states of a feed, in the order of their keys: as many as an answer of the table holds.
   *
   * @param after the key that the last call returned; absent: from the first.
   */
  loadStatesAfter(feedId: string, after?: EntityKey): Promise<StatesPage>;

  /** The entities of a feed whose key starts with the prefix, without published deletes. */
  loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]>;

  /**
   * The same page by page, in the order of their keys: a list may have millions of entities. States
   * saved meanwhile may be absent.
   */
  liveVersions(feedId: string, prefix: string): AsyncIterable<readonly ChildVersion[]>;

  /**
   * Replaces the states of entities. None is refused for its size: content that is too large to
   * keep is replaced by `digests`. These, and the old values and names of changed fields of the
   * last event, are left out if they are too large.
   */
  saveStates(feedId: string, states: readonly EntityState[]): Promise<void>;
}
