/**
 * The mirror: the state of each entity as the service last showed it, by its key.
 *
 * - An observation that is not newer than the state is no change (limit 7 of docs/guarantees.md).
 * - `sequence` grows with each event of the entity (promise 3).
 * - A state is bounded by an item of the table: larger content is kept as digests (limit 12).
 */
import type { Action } from './change.ts';
import type { Entity, JsonObject } from './entity.ts';
import type { Timestamp } from './timestamp.ts';

/**
 * Identifies an entity within its feed: `<entity>#<id>`. A nested one has
 * `<entity>#<parent id>#<id>`, so that all children of a parent share a prefix.
 */
export type EntityKey = string;

/** The key of an entity of the list, or of an entity nested in `parentId`. */
export function entityKey(entity: string, id: string, parentId?: string): EntityKey {
  return parentId === undefined ? `${entity}#${id}` : `${entity}#${parentId}#${id}`;
}

/** The prefix that the keys of all entities nested in a parent share. */
export function childPrefix(entity: string, parentId: string): string {
  return `${entity}#${parentId}#`;
}

/** The last segment of a key. */
export function idIn(key: EntityKey): string {
  return key.slice(key.lastIndexOf('#') + 1);
}

/** The state of an entity in the mirror. */
export interface EntityState {
  readonly key: EntityKey;
  /** The last observed `updated_at`. */
  readonly version: Timestamp;
  /** `sequence` of the last event: `version`, or later after an inferred change. */
  readonly sequence: Timestamp;
  readonly deleted: boolean;
  /**
   * Set if the last change was inferred: the time at which a newer parent dropped the item or
   * showed it again, or a reconcile proved the delete or took it back. It has no version.
   */
  readonly inferred?: Timestamp | undefined;
  /** The last event, see {@link encodeEvent}. Absent in a silent baseline: there was none. */
  readonly event?: string | undefined;
  /**
   * Set until that event was published. Whoever loads the state publishes the event first, as it
   * is. Old values are absent when they were too large to keep.
   */
  readonly unpublished?: { readonly previous?: JsonObject | undefined } | undefined;
  /** Digest of each nested list when it was last compared. */
  readonly nested?: Readonly<Record<string, string>> | undefined;
  /**
   * Reads the entity without its nested lists. Absent when it was too large to keep; then see
   * `digests`. A loaded state parses its JSON on each call, so unchanged entities are never parsed.
   * An own property, not a method of a class: a copy by spread keeps it.
   */
  readonly content?: (() => JsonObject) | undefined;
  /**
   * When the table may delete the state, in milliseconds since 1970: see {@link withExpiry}. A
   * loaded state has none.
   */
  readonly expiresAt?: number;
  /** A digest of each top-level field: shows which fields changed, but not their old values. */
  readonly digests?: Readonly<Record<string, string>> | undefined;
}

/**
 * The state with its expiry in the table, if the service shows the entity as deleted.
 *
 * An inferred delete stays. Its entity may be back as it was, and the event of that needs a
 * sequence above that of the delete. An unpublished state stays until it is published.
 *
 * @param now milliseconds since 1970.
 */
export function withExpiry(state: EntityState, now: number, retentionMs: number): EntityState {
  const { deleted, inferred, unpublished, sequence } = state;
  if (!deleted || inferred !== undefined || unpublished !== undefined) return state;
  return { ...state, expiresAt: Math.max(now, Date.parse(sequence)) + retentionMs };
}

/** The part of the last event that a state keeps. */
export interface LastEvent {
  readonly action: Action;
  /** Absent when the names were too many to keep. */
  readonly changed?: readonly string[];
}

/**
 * Encodes an event for its state: JSON of the first letter of the action, and the changed fields.
 * Few events are ever published again, so they are decoded only then.
 */
export function encodeEvent({ action, changed }: LastEvent): string {
  return JSON.stringify(changed === undefined ? action[0] : [action[0], ...changed]);
}

const ACTIONS: readonly Action[] = ['created', 'updated', 'deleted', 'restored'];

/** @returns undefined for an action of a later release. */
export function decodeEvent(event: string): LastEvent | undefined {
  const decoded = JSON.parse(event) as string | string[];
  const [letter, ...changed] = decoded;
  const action = ACTIONS.find((name) => name[0] === letter);
  return action && { action, ...(Array.isArray(decoded) && { changed }) };
}

/** The state of a project after a page of the projects' list. */
export interface ProjectState {
  /** Its id alone, if the service does not show it any more. */
  readonly entity: Pick<Entity, 'id'> & JsonObject;
  /** As the mirror has it after the page: an older version on the page changes nothing. */
  readonly deleted: boolean;
  /** As the mirror has it before; undefined if it has none. Its feeds were synced before. */
  readonly wasDeleted: boolean | undefined;
}
