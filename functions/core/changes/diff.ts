import type { Action, Change } from '../model/change.ts';
import { isOlderThanOutbox, type EntityState } from '../model/entity-state.ts';
import {
  compareTimestamps,
  isAfter,
  laterOf,
  shiftTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';
import { changedFields, type ChangedFields } from './changed-fields.ts';
import { nestedDigests, type Identity, type ObservedEntity } from './observed-entity.ts';

/** The result of comparing an entity with its state. */
export interface Diff {
  /** The change to publish, if there is one. */
  readonly change?: Change;
  /** The state to save after publishing; absent when it equals the stored state. */
  readonly state?: EntityState;
}

const UNCHANGED: Diff = {};
const NO_FIELDS: ChangedFields = { changed: [] };

/**
 * Compares an observed entity with its state.
 *
 * | State       | Observed             | Change                       |
 * |-------------|----------------------|------------------------------|
 * | none        | anything, baseline   | none; saved                  |
 * | none        | not deleted          | `created`                    |
 * | none        | deleted              | `deleted`                    |
 * | none        | deleted long ago     | none; not saved              |
 * | not deleted | newer, not deleted   | `updated`                    |
 * | not deleted | newer, deleted       | `deleted`                    |
 * | deleted     | newer, not deleted   | `restored`                   |
 * | deleted     | newer, deleted       | `updated`                    |
 * | missing     | back in the list     | `restored`, at any age       |
 * | any         | same age or older    | none                         |
 *
 * @param isBaseline true in the baseline: a new entity is saved without a change.
 * @param longAgo a delete that is no later is one of long ago.
 */
export function diff(
  state: EntityState | undefined,
  observed: ObservedEntity,
  isBaseline: boolean,
  longAgo?: Timestamp,
): Diff {
  if (state === undefined) {
    const newState = stateOf(observed, observed.version);
    if (isBaseline) return { state: newState };
    const isDeleted = observed.deletedAt !== null;
    if (isDeleted && longAgo !== undefined && !isAfter(observed.version, longAgo)) return UNCHANGED;
    const action = isDeleted ? 'deleted' : 'created';
    return { change: changeOf(observed, action, observed.version, NO_FIELDS), state: newState };
  }
  const isBack = state.missing === true && observed.deletedAt === null;
  const age = compareTimestamps(observed.version, state.version);
  if (age <= 0 && !isBack) {
    return age === 0 && nestedDiffers(state, observed)
      ? { state: withNested(state, observed) }
      : UNCHANGED;
  }
  // A delete by absence may have a sequence above the entity's own versions.
  const sequence =
    compareTimestamps(observed.version, state.sequence) > 0
      ? observed.version
      : shiftTimestamp(state.sequence, 1);
  const fields = changedFields(state, observed.object);
  const change = changeOf(observed, actionOf(state, observed), sequence, fields);
  return { change, state: stateOf(observed, sequence, state) };
}

/**
 * The change of an entity that is missing: a nested one from its parent's complete list, or one that the service
 * does not know by its id. It has no timestamp of its own: its sequence is the parent's version, or when its list was
 * read without it, or the millisecond after the entity's last event if that is later.
 */
export function diffMissing(
  state: EntityState,
  { entity, id, subject }: Identity,
  goneAt?: Timestamp,
): Diff {
  if (state.deleted) return UNCHANGED;
  const next = shiftTimestamp(state.sequence, 1);
  const sequence = laterOf(goneAt ?? next, next);
  const change: Change = {
    action: 'deleted',
    entity,
    id,
    subject,
    time: sequence,
    sequence,
    object: state.content?.() ?? { id },
    changed: [],
    previous: {},
  };
  return { change, state: { ...state, sequence, deleted: true, missing: true } };
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

function stateOf(observed: ObservedEntity, sequence: Timestamp, before?: EntityState): EntityState {
  const { key, version, deletedAt, object, lists } = observed;
  return {
    key,
    version,
    sequence,
    deleted: deletedAt !== null,
    ...(lists.length > 0 && { nested: mergeNested(before, observed) }),
    content: () => object,
  };
}

/** Digests of the observed lists. The mark of a list that a later answer put into the outbox stays. */
function mergeNested(
  state: EntityState | undefined,
  observed: ObservedEntity,
): Record<string, string> {
  const digests = nestedDigests(observed);
  for (const name of Object.keys(digests)) {
    const mark = state?.nested?.[name];
    if (mark !== undefined && isOlderThanOutbox(observed.version, mark)) digests[name] = mark;
  }
  return digests;
}

/** A list that the page does not show keeps its digest, since a later page may show it again. */
function withNested(state: EntityState, observed: ObservedEntity): EntityState {
  return { ...state, nested: { ...state.nested, ...mergeNested(state, observed) } };
}

function nestedDiffers(state: EntityState, observed: ObservedEntity): boolean {
  if (observed.lists.length === 0) return false;
  const digests = Object.entries(mergeNested(state, observed));
  return digests.some(([name, digest]) => state.nested?.[name] !== digest);
}
