import type { EventOrigin } from '../events/make-event.ts';
import type { FeedRegistry } from '../feeds/feed-registry.ts';
import type { Action } from '../model/change.ts';
import type { Feed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { Timestamp } from '../model/timestamp.ts';
import type { Ports } from '../ports/ports.ts';

/** The list whose entities are committed. */
export interface CommitTarget {
  readonly run: CommitContext;
  readonly feed: Feed;
  readonly resource: Resource;
  /** When the poll began, see {@link FeedPage.beganAt}. */
  readonly beganAt: Timestamp;
  readonly cause: EventOrigin['cause'];
  /** Called with the ids of feeds that are to be polled now: new, resumed or just parked. */
  readonly onDue?: (feedIds: readonly string[]) => void;
}

/** The part of a run that commits need. */
export interface CommitContext {
  readonly ports: Ports;
  readonly options: CommitOptions;
  readonly registry: FeedRegistry;
  readonly summary: CommitCounts;
}

/** The counts of a run's commits. */
export interface CommitCounts {
  pages: number;
  entities: number;
  /** Events that the topic accepted. */
  readonly events: Record<Action, number>;
  quarantined: number;
}

/** Options of commits; from the operator's config. */
export interface CommitOptions {
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  /** Time after which the table may delete the state of a deleted entity. */
  readonly retentionMs: number;
  /** Maximum number of nested items that are compared and saved at once. Default 1000. */
  readonly groupSize?: number;
}
