import type { Action, Change } from '../model/change.ts';
import type { EntityState } from '../model/entity-state.ts';
import {
  compareTimestamps,
  isAfter,
  shiftNanoseconds,
  type Timestamp,
} from '../model/timestamp.ts';
import { changedFields, type ChangedFields } from './changed-fields.ts';
import { nestedDigests, type Identity, type ObservedEntity } from './observe.ts';

/** The result of comparing an entity with its state. */
export interface Diff {
  /** The change to publish, if there is one. */
  readonly change?: Change;
  /** The state to save after publishing; absent when it equals the stored state. */
  readonly state?: EntityState;
}

/** How an entity is compared. */
export interface DiffOptions {
  /** Whether an entity without a state is saved without a change. */
  readonly isSilent?: boolean;
  /** A delete of an unknown entity that is no later is one of long ago. Absent: none is. */
  readonly longAgo?: Timestamp | undefined;
  /**
   * An inferred delete is taken back at this time, though `updated_at` is the same. Absent: it is
   * not.
   */
  readonly restoredAt?: Timestamp | undefined;
}

const UNCHANGED: Diff = {};
const NO_FIELDS: ChangedFields = { changed: [] };

/**
 * Compares an observed entity with its state.
 *
 * | State            | Observed              | Change                 |
 * |------------------|-----------------------|------------------------|
 * | none, silent     | anything              | none; saved            |
 * | none             | deleted long ago      | none; not saved        |
 * | none             | not deleted / deleted | `created` / `deleted`  |
 * | not deleted      | newer, not deleted    | `updated`              |
 * | not deleted      | newer, deleted        | `deleted`              |
 * | deleted          | newer, not deleted    | `restored`             |
 * | deleted          | newer, deleted        | `updated`              |
 * | inferred deleted | same, not deleted     | `restored`, if allowed |
 * | any              | same or older         | none                   |
 */
export function diff(
  state: EntityState | undefined,
  observed: ObservedEntity,
  { isSilent = false, longAgo, restoredAt }: DiffOptions = {},
): Diff {
  const { version, deletedAt } = observed;
  if (state === undefined) {
    if (isSilent) return { state: stateOf(observed, version) };
    const isLongAgo = deletedAt !== null && longAgo !== undefined && !isAfter(version, longAgo);
    if (isLongAgo) return UNCHANGED;
    const action = deletedAt === null ? 'created' : 'deleted';
    const change = changeOf(observed, action, version, NO_FIELDS);
    return { change, state: stateOf(observed, version) };
  }
  const age = compareTimestamps(version, state.version);
  if (age < 0) return UNCHANGED;
  if (age === 0) {
    const isGone = state.deleted && state.inferred !== undefined;
    if (isGone && restoredAt !== undefined && deletedAt === null)
      return inferRestore(state, observed, restoredAt);
    return nestedDiffers(state, observed) ? { state: withNested(state, observed) } : UNCHANGED;
  }
  const sequence = isAfter(version, state.sequence) ? version : inferredSequence(state);
  const fields = changedFields(state, observed.object);
  const change = changeOf(observed, actionOf(state, observed), sequence, fields);
  return { change, state: stateOf(observed, sequence) };
}

/**
 * The delete of an entity that has no version of its own: of an item that a newer version of its
 * parent does not show any more, or of an entity that a reconcile has proven to be gone.
 *
 * @param time of that version, or of the proof.
 */
export function inferDelete(
  state: EntityState,
  { entity, id, subject }: Identity,
  time: Timestamp,
): Diff {
  if (state.deleted) return UNCHANGED;
  const sequence = inferredSequence(state);
  const change: Change = {
    action: 'deleted',
    entity,
    id,
    subject,
    time,
    sequence,
    object: state.content?.() ?? { id },
    changed: [],
    previous: {},
  };
  const { unpublished: _, ...known } = state;
  return { change, state: { ...known, sequence, deleted: true, inferred: time } };
}

function inferRestore(state: EntityState, observed: ObservedEntity, time: Timestamp): Diff {
  const sequence = inferredSequence(state);
  const fields = changedFields(state, observed.object);
  const change = { ...changeOf(observed, 'restored', sequence, fields), time };
  return { change, state: { ...stateOf(observed, sequence), inferred: time } };
}

/**
 * Above what was published, and below every later version. Computed by no clock: a repeat is the
 * same.
 */
function inferredSequence({ sequence }: EntityState): Timestamp {
  return shiftNanoseconds(sequence, 1);
}

function actionOf(state: EntityState, observed: ObservedEntity): Action {
  if (observed.deletedAt === null) return state.deleted ? 'restored' : 'updated';
  return state.deleted ? 'updated' : 'deleted';
}

function changeOf(
  { entity, id, subject, deletedAt, version, object }: ObservedEntity,
  action: Action,
  sequence: Timestamp,
  { changed, previous }: ChangedFields,
): Change {
  const time = action === 'deleted' && deletedAt !== null ? deletedAt : version;
  return { action, entity, id, subject, time, sequence, object, changed, previous };
}

function stateOf(observed: ObservedEntity, sequence: Timestamp): EntityState {
  const { key, version, deletedAt, object, lists } = observed;
  return {
    key,
    version,
    sequence,
    deleted: deletedAt !== null,
    ...(lists.length > 0 && { nested: nestedDigests(observed) }),
    content: () => object,
  };
}

/** A list that the page does not show keeps its digest, since a later page may show it again. */
function withNested(state: EntityState, observed: ObservedEntity): EntityState {
  return { ...state, nested: { ...state.nested, ...nestedDigests(observed) } };
}

function nestedDiffers(state: EntityState, observed: ObservedEntity): boolean {
  const digests = Object.entries(nestedDigests(observed));
  return digests.some(([name, digest]) => state.nested?.[name] !== digest);
}
