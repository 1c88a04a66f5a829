import type { Change } from '../model/change.ts';
import type { EntityState, PendingEvent } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import type { Diff } from './diff.ts';
import type { Identity, ObservedEntity } from './observed-entity.ts';

/**
 * The state to save *before* publishing, for changes that a re-read may no longer show after a crash.
 */
export function addToOutbox({ change, state }: Diff): EntityState[] {
  if (change === undefined || state === undefined) return [];
  const { action, changed, previous } = change;
  return [{ ...state, pendingEvent: { action, changed, ...(previous && { previous }) } }];
}

/**
 * Repeats the diff that was added to the outbox: the same event, byte by byte, and the state to save
 * after it. Every field counts as changed if their names were too large to keep.
 *
 * @param observed supplies content that was too large to keep, if its version is still the same.
 */
export function replayFromOutbox(
  { pendingEvent, ...state }: EntityState & { readonly pendingEvent: PendingEvent },
  { entity, id, subject }: Identity,
  observed?: ObservedEntity,
): Required<Diff> {
  const isSame = observed?.version === state.version;
  const object = state.content?.() ?? (isSame ? observed.object : { id });
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

function fieldsOf(object: JsonObject): string[] {
  return Object.keys(object)
    .filter((field) => field !== 'id' && field !== 'updated_at')
    .sort();
}
