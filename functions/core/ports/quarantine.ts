import type { Timestamp } from '../model/timestamp.ts';

/** An entity that cannot be processed, or an event that the topic refuses. */
export interface QuarantinedItem {
  /** API path of the entity, as its events have it. Without a usable id it ends in a digest. */
  readonly subject: string;
  /** Id of the feed that showed it. */
  readonly feed: string;
  readonly kind: 'entity' | 'event';
  /** `updated_at` or `sequence`, to the nanosecond; empty without a usable one. */
  readonly version: string;
  /** The `updated_at` under which its list shows it: that of the parent of a nested entity. */
  readonly listedAt?: Timestamp;
  readonly reason: string;
  /** The entity as received, or the event as built. */
  readonly value: unknown;
}

/** Keeps invalid entities and refused events for an operator, one item for each entity. */
export interface Quarantine {
  /**
   * Keeps items. A later version of an entity replaces an earlier one; the same again, or an older
   * one, changes nothing.
   *
   * @returns the items that were new.
   */
  put(items: readonly QuarantinedItem[]): Promise<readonly QuarantinedItem[]>;
}
