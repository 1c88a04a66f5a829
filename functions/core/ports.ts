import type { ChangeEvent } from './event.ts';
import type { Entity, UnusableEntity } from './entity.ts';
import type { Feed } from './feed.ts';
import type { EntityKey, Known } from './known.ts';
import type { Permit } from './permit.ts';
import type { Room } from './room.ts';
import type { Timestamp } from './timestamp.ts';

/** Asks for one page of a list (spec, "Pagination rules" and "Limits"). */
export interface PageRequest {
  /** Path of the list below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  /** Further query parameters of the list. */
  readonly query?: Readonly<Record<string, string>>;
  /** `last_synced_at`; absent on the first request. */
  readonly lastSyncedAt?: string;
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
  /**
   * Room for the answer's body: asked for when the headers are there, before the body is read. Absent:
   * it is read at once.
   */
  readonly room?: Room;
}

/** One page of a list, checked at the door. */
export interface Page {
  /** What can be worked with, in the service's order. */
  readonly entities: readonly Entity[];
  /**
   * The JSON of each of these entities as the service wrote it, in their order. Absent when that is not
   * known.
   */
  readonly texts?: readonly string[];
  /** What cannot, for the quarantine. */
  readonly unusable: readonly UnusableEntity[];
  /** `X-Has-More`. */
  readonly hasMore: boolean;
  /** `X-Last-Synced-At` exactly as the service gave it; absent when the header was. */
  readonly lastSyncedAt?: string;
  /**
   * A time by the service's own clock before which the list was not read: what was committed by then
   * is on this page, if it belongs there. Absent when the service did not tell the time (`Date`).
   */
  readonly asOf?: Timestamp;
}

/** The lists of the Construction Project Service API v3. */
export interface ServiceApi {
  /**
   * Reads one page. Retries what may pass (408, 429, 5xx, network, time-outs, broken JSON, broken
   * headers) within the request budget; renews the access token on 401.
   *
   * @param signal aborts the request and its retries. The promise then rejects with the error of the
   *   last attempt that failed by more than a rate limit (429) or a 401, or, when there was none,
   *   with the signal's reason.
   * @throws FeedRefused on 403 and 404.
   * @throws ServiceError on any other error status, or when no answer came, after all retries.
   * @throws ProtocolError when the body is not an array or `X-Has-More` is not a boolean.
   * @throws PageTooLarge when the body is larger than the request's room.
   * @throws RefreshTokenRejected when the refresh token is refused or missing; another FatalError
   *   when no access token is to be had for another reason.
   */
  fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page>;

  /**
   * What may still be spent of the request budget. Absent: there is no limit.
   *
   * @param withinMs from now, in milliseconds.
   */
  allowance?(withinMs: number): Allowance;
}

/** What a request budget allows. */
export interface Allowance {
  /** Requests that may still begin in the time asked for, besides those that wait already. */
  readonly requests: number;
  /** Requests that may begin each minute, as long as nothing changes. */
  readonly perMinute: number;
}

/** The right to work on a shard for a while. Never two owners at once. */
export interface Lease {
  readonly shard: string;
  /** Names the run. */
  readonly owner: string;
  /** When it ends unless renewed, in milliseconds since 1970. */
  readonly until: number;
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
   * Takes the lease if it is free, has ended before `now`, or is the owner's already.
   *
   * @returns false when another run holds it.
   */
  acquireLease(lease: Lease, now: number): Promise<boolean>;

  /**
   * Prolongs a held lease to `lease.until`.
   *
   * @throws LeaseLost when it is no longer the owner's.
   */
  renewLease(lease: Lease): Promise<void>;

  /** Gives the lease back. Does nothing when it is no longer the owner's. */
  releaseLease(lease: Lease): Promise<void>;

  /**
   * What a run needs to begin: all feeds in the given partitions, and what {@link savePlan} kept. May
   * be a little behind: what was written just now may be missing.
   */
  loadShard(partitions: readonly number[]): Promise<ShardView>;

  /**
   * Keeps what the planner of these partitions remembers, in place of what it kept before. Losing it
   * does no harm.
   */
  savePlan(partitions: readonly number[], packed: Uint8Array): Promise<void>;

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
   * @throws CursorMoved when another run committed it in the meantime, or it is gone.
   */
  commitFeed(feed: Feed): Promise<Feed>;

  /** What is known of the given entities of a feed; unknown ones are absent from the map. */
  loadKnown(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, Known>>;

  /** All that is known of a feed whose key starts with the prefix: the children of one parent. */
  loadKnownByPrefix(feedId: string, prefix: string): Promise<Known[]>;

  /**
   * Saves known entities, each over what was there. Resolves when all are saved. Content that is
   * too large to keep is replaced by `digests`.
   *
   * @throws LeaseLost when the permit ends before all are saved.
   */
  saveKnown(feedId: string, known: readonly Known[], permit?: Permit): Promise<void>;
}

/** An event the topic will never accept, however often it is sent. */
export interface RefusedEvent {
  readonly event: ChangeEvent;
  /** The topic's own words. */
  readonly reason: string;
}

/** Where events go. */
export interface EventTopic {
  /**
   * Publishes events in batches and retries what was throttled or failed in part. Events of one
   * entity are accepted in the order given. For one that is too large an {@link EventReference} is
   * published, after the whole of it is kept in a {@link ClaimCheck}.
   *
   * @returns what the topic refused for good; everything else was accepted.
   * @throws PublishFailed when some events were not accepted, or not kept, after all retries.
   * @throws LeaseLost when the permit ends before all were sent.
   */
  publish(events: readonly ChangeEvent[], permit?: Permit): Promise<RefusedEvent[]>;
}

/** Keeps the whole of events that are too large for the topic, where subscribers can read it. */
export interface ClaimCheck {
  /**
   * Keeps an event for 30 days at least. Kept again, it replaces itself.
   *
   * @param id the event's id.
   * @param json the event, as it would be published.
   * @returns its address, for `dataref`.
   * @throws ClaimCheckFailed when it is not kept after all retries.
   * @throws LeaseLost when the permit ends before.
   */
  put(id: string, json: string, permit?: Permit): Promise<string>;
}

/** Something set aside because it cannot be worked with; kept for a human. */
export interface QuarantinedItem {
  /** Id of the feed it came from. */
  readonly feed: string;
  /** `last_synced_at` of the page it was on; absent on the first page. */
  readonly cursor?: Timestamp;
  /** Why it is here. */
  readonly reason: string;
  /** The entity as received, or the event as built. */
  readonly value: unknown;
}

/** Keeps what is set aside. */
export interface Quarantine {
  /** Resolves when all items are kept; rejects when one is not, so that the page is read again. */
  put(items: readonly QuarantinedItem[]): Promise<void>;
}

/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the time, or at once when the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** What is counted. Each is a metric of the same name; one that ends in `Seconds` is given once a run. */
export type Metric =
  | 'EventsPublished'
  | 'FeedsPolled'
  | 'FeedsFailing'
  | 'FeedsParked'
  | 'LeaseHeld'
  | 'LongestWaitSeconds'
  | 'PagesRead'
  | 'ProtocolErrors'
  | 'PublishFailures'
  | 'Quarantined'
  | 'RunsCompleted'
  | 'SaturatedTimestamp';

/** Logs and metrics. Fields never hold a secret, a token or an authorization header. */
export interface Telemetry {
  count(metric: Metric, amount: number): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, error: unknown, fields?: Readonly<Record<string, unknown>>): void;
}
