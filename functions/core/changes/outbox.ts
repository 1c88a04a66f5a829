import type { Change } from '../model/change.ts';
import type { EntityState, PendingEvent } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { isAfter, parseTimestamp, type Timestamp } from '../model/timestamp.ts';
import { diff, diffMissing, type Diff } from './diff.ts';
import type { Identity, ObservedEntity } from './observed-entity.ts';

/**
 * The state to save *before* publishing, for changes that a re-read may no longer show after a crash.
 */
export function addToOutbox({ change, state }: Diff): EntityState[] {
  if (change === undefined || state === undefined) return [];
  const { action, changed, previous } = change;
  const { told: _, ...untold } = state;
  return [{ ...untold, pendingEvent: { action, changed, ...(previous && { previous }) } }];
}

/** A state in the outbox. */
type Pending = EntityState & { readonly pendingEvent: PendingEvent };

/** Whether a state is in the outbox. */
export function isPending(state: EntityState | undefined): state is Pending {
  return state?.pendingEvent !== undefined;
}

/**
 * Repeats the diff that was added to the outbox: the same event, byte by byte, and the state to save
 * after it. Every field counts as changed if their names were too large to keep.
 *
 * @param observed supplies content that was too large to keep, if its version is still the same.
 * @returns undefined if that content is lost; see {@link diffFromOutbox}.
 */
export function replayFromOutbox(
  { pendingEvent, ...state }: Pending,
  { entity, id, subject }: Identity,
  observed?: ObservedEntity,
): Required<Diff> | undefined {
  const isSame = observed?.version === state.version;
  const shown = isSame ? observed.object : undefined;
  // The event of an item that went had no other content either.
  const object: JsonObject | undefined = state.content?.() ?? (state.missing ? { id } : shown);
  if (object === undefined) return undefined;
  const deletedAt = state.missing ? undefined : parseTimestamp(object['deleted_at']);
  const isDeleted = pendingEvent.action === 'deleted';
  const change: Change = {
    entity,
    id,
    subject,
    time: isDeleted ? (deletedAt ?? state.sequence) : state.version,
    sequence: state.sequence,
    object,
    changed: fieldsOf(object),
    ...pendingEvent,
  };
  return { change, state };
}

/**
 * The change since the state before a pending event whose content is lost. That event is not repeated, since
 * one id must not have two contents; this one tells both changes, whether or not that one was published.
 *
 * @param observed undefined if the entity is missing from its list. A version that is not later is no change.
 */
export function diffFromOutbox(
  { pendingEvent, ...state }: Pending,
  identity: Identity,
  observed: ObservedEntity | undefined,
  parentVersion: Timestamp,
): Diff {
  const { action, changed: pending } = pendingEvent;
  if (observed === undefined)
    return diffMissing({ ...state, deleted: false }, identity, parentVersion);
  if (!isAfter(observed.version, state.version)) return {};
  if (action === 'created') return diff(undefined, observed, false);
  const wasDeleted = action === 'restored' || (action === 'updated' && state.deleted);
  const found = diff({ ...state, deleted: wasDeleted }, observed, false);
  if (found.change === undefined) return found;
  const fields = new Set([...(pending ?? fieldsOf(observed.object)), ...found.change.changed]);
  return { ...found, change: { ...found.change, changed: [...fields].sort() } };
}

function fieldsOf(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((field) => field !== 'id' && field !== 'updated_at')
    .sort();
}
