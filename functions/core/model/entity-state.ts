import type { JsonObject } from './entity.ts';
import { compareTimestamps, type Timestamp } from './timestamp.ts';
import { type Action } from './change.ts';

/**
 * Names an entity within its feed: `<entity>#<id>`, and `<entity>#<parent id>#<id>` for a nested one,
 * so that all children of a parent share a prefix.
 */
export type EntityKey = string;

/** The key of an entity of the list itself, or of one nested in `parentId`. */
export function entityKey(entity: string, id: string, parentId?: string): EntityKey {
  return parentId === undefined ? `${entity}#${id}` : `${entity}#${parentId}#${id}`;
}

/** The prefix that the keys of all entities nested in a parent share. */
export function childPrefix(entity: string, parentId: string): string {
  return `${entity}#${parentId}#`;
}

/** What an event tells besides the state that the store holds. */
export interface PendingEvent {
  readonly action: Action;
  readonly changed: readonly string[];
  readonly previous?: JsonObject;
}

/** What the store holds of an entity: the last state whose event was accepted by the topic. */
export interface EntityState {
  readonly key: EntityKey;
  /** `updated_at` as last seen. What is not newer is no change. */
  readonly version: Timestamp;
  /**
   * `sequence` of the last event. Equal to `version`, except after a delete or restore that was
   * worked out from a missing list item and has no timestamp of its own.
   */
  readonly sequence: Timestamp;
  readonly deleted: boolean;
  /** True when the entity was deleted by missing from its parent's list. */
  readonly missing?: boolean;
  /**
   * Set while it is not sure whether the event of this state was published: it is published again,
   * just so, before anything else is made of the entity.
   */
  readonly pendingEvent?: PendingEvent;
  /**
   * Digest of each nested list when it was last worked; equal digest, nothing to do there. While its
   * items are announced, {@link outboxMark} stands in its place.
   */
  readonly nested?: Readonly<Record<string, string>>;
  /** The entity without its nested lists. Absent when too large to keep; then see `digests`. */
  readonly content?: JsonObject;
  /** Per top-level field a digest of its value: enough to tell what changed, not what it was. */
  readonly digests?: Readonly<Record<string, string>>;
}

/**
 * Stands in the place of a list's digest while its items are announced: they were shown by an answer of
 * this version of the parent, and an older one says nothing of them.
 */
export function outboxMark(version: Timestamp): string {
  return `>${version}`;
}

/** Whether an answer of this version of the parent is older than the one that announced a list. */
export function isOlderThanOutbox(version: Timestamp, digest: string | undefined): boolean {
  return digest?.startsWith('>') === true && compareTimestamps(version, digest.slice(1)) < 0;
}
