import type { Action } from './change.ts';
import type { JsonObject } from './entity.ts';
import { compareTimestamps, isAfter, type Timestamp } from './timestamp.ts';

/**
 * Identifies an entity within its feed: `<entity>#<id>`, or `<entity>#<parent id>#<id>` for a nested
 * entity, so that all children of a parent share a prefix.
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

/** The parts of an event that the entity state does not hold. */
export interface PendingEvent {
  readonly action: Action;
  /** Absent when even the names were too large to keep. */
  readonly changed?: readonly string[];
  readonly previous?: JsonObject;
}

/** The stored state of an entity: the last one whose event was accepted by the topic. */
export interface EntityState extends Sighting {
  readonly key: EntityKey;
  /**
   * The last observed `updated_at`. An observation that is not newer is no change. Of an entity of the list that
   * is missing: when its list was read without it, if that is later.
   */
  readonly version: Timestamp;
  /** `sequence` of the last event. It equals `version` unless a delete by absence came in between. */
  readonly sequence: Timestamp;
  readonly deleted: boolean;
  /** True when the entity was deleted by its absence: from the parent's list, or from the service. */
  readonly missing?: boolean;
  /**
   * The event of this state, until its publication is confirmed. It is republished unchanged before the
   * entity is processed again (outbox).
   */
  readonly pendingEvent?: PendingEvent;
  /**
   * The event that told this state, see {@link encodeTold}. Absent if none did, in a silent baseline; if the state is
   * that of an earlier release; while the event is pending; and if there was no room for it.
   */
  readonly told?: string;
  /**
   * Digest of each nested list when it was last compared; a list with the same digest is skipped. While
   * items of a list are in the outbox, {@link outboxMark} replaces its digest. See also {@link PARENT}.
   */
  readonly nested?: Readonly<Record<string, string>>;
  /**
   * Reads the entity without its nested lists. Absent when it was too large to keep; then see
   * `digests`. A loaded state parses its JSON on each call, so unchanged entities are never parsed. An
   * own property, not a method of a class: a copy by spread keeps it.
   */
  readonly content?: () => JsonObject;
  /** Bytes of the content's JSON, of a loaded state. */
  readonly bytes?: number;
  /** When the table may delete the state, in milliseconds since 1970. See {@link withExpiry}. */
  readonly expiresAt?: number;
  /** A digest of each top-level field: shows which fields changed, but not their old values. */
  readonly digests?: Readonly<Record<string, string>>;
}

/**
 * The state with the time from which on the table may delete it, if the service shows the entity as deleted.
 *
 * An inferred delete stays. Its entity may be back as it was, and the event of that needs a sequence above that of
 * the delete. A pending event stays until it is published.
 *
 * @param now milliseconds since 1970.
 */
export function withExpiry(state: EntityState, now: number, retentionMs: number): EntityState {
  const { expiresAt: _, ...kept } = state;
  if (!kept.deleted || kept.missing || kept.pendingEvent !== undefined) return kept;
  return { ...kept, expiresAt: Math.max(now, Date.parse(kept.sequence)) + retentionMs };
}

/** What tells a state again, but for the old values. */
export type ToldEvent = Omit<PendingEvent, 'previous'>;

/**
 * Encodes an event for its state: JSON of the first letter of the action, and the changed fields. Each state has it,
 * and few are ever told again: so it is decoded only then.
 */
export function encodeTold({ action, changed }: Required<ToldEvent>): string {
  return JSON.stringify([action[0], ...changed]);
}

const ACTIONS: readonly Action[] = ['created', 'updated', 'deleted', 'restored'];

/** @returns undefined for what a later release has encoded. */
export function decodeTold(told: string): ToldEvent | undefined {
  const [letter, ...changed] = JSON.parse(told) as string[];
  const action = ACTIONS.find((name) => name[0] === letter);
  return action && { action, changed };
}

/** Whether the last change of an entity lies in a time, both ends included. */
export function isChangedWithin(
  { sequence }: EntityState,
  { since, until }: { readonly since: Timestamp; readonly until: Timestamp },
): boolean {
  return !isAfter(since, sequence) && !isAfter(sequence, until);
}

/** Where an item has the {@link outboxMark} of a parent without a state, in place of a list's digest. */
export const PARENT = 'parent';

/** A version, and when it was there. */
export interface Sighting {
  readonly version: Timestamp;
  /**
   * Of a version that is dated ahead: the answer that showed it was read before this time of the service's clock. The version
   * does not tell how old an answer is that does not show it.
   */
  readonly seenAt?: Timestamp;
}

/**
 * Replaces a list's digest while its items are in the outbox. An answer with an older version of the
 * parent is ignored: it says nothing of these items.
 */
export function outboxMark({ version, seenAt }: Sighting): string {
  return seenAt === undefined ? `>${version}` : `>${version} ${seenAt}`;
}

/** The version of the parent in an {@link outboxMark}; undefined for a digest. */
export function markedVersion(digest: string | undefined): Sighting | undefined {
  if (digest?.startsWith('>') !== true) return undefined;
  const [version = '', seenAt] = digest.slice(1).split(' ');
  return { version, ...(seenAt !== undefined && { seenAt }) };
}

/** Whether a version of the parent is older than the answer that put a list into the outbox. */
export function isOlderThanOutbox(version: Timestamp, digest: string | undefined): boolean {
  const marked = markedVersion(digest);
  return marked !== undefined && compareTimestamps(version, marked.version) < 0;
}
