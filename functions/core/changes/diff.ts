import type { Action, Change } from '../model/change.ts';
import { encodeEvent, type EntityState } from '../model/entity-state.ts';
import { isSilent, type Feed } from '../model/feed.ts';
import {
  compareTimestamps,
  isAfter,
  shiftNanoseconds,
  type Timestamp,
} from '../model/timestamp.ts';
import { changedFields, type ChangedFields } from './changed-fields.ts';
import { nestedDigests, type NestedList } from './nested-list.ts';
import type { Observed } from './observe.ts';
import { changeOf, type Identity } from './place.ts';

/** A state to save, after the change that led to it is published, if there is one. */
export interface Diff {
  readonly change?: Change;
  readonly state: EntityState;
}

/** How an entity without a state is compared. */
export interface DiffOptions {
  readonly feed: Pick<Feed, 'phase' | 'baselineAt'>;
  /** Without a state, a delete until this time raises no event. */
  readonly longAgo: Timestamp;
}

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
 *
 * @returns undefined when there is nothing to publish or save.
 */
export function diff(
  state: EntityState | undefined,
  observed: Observed,
  options: DiffOptions,
): Diff | undefined {
  const { version, deletedAt } = observed;
  if (state === undefined) return firstDiff(observed, options);
  const age = compareTimestamps(version, state.version);
  if (age < 0) return undefined;
  if (age === 0) {
    const { inferredRestoreAt } = observed.place;
    const isGone = state.deleted && state.inferred !== undefined;
    if (isGone && inferredRestoreAt !== undefined && deletedAt === null)
      return inferRestore(state, observed, inferredRestoreAt);
    return nestedDiff(state, observed);
  }
  const sequence = isAfter(version, state.sequence) ? version : inferredSequence(state);
  const fields = changedFields(state, observed.object);
  const change = changeTo(observed, actionOf(state, observed), sequence, fields);
  return { change, state: stateOf(observed, change) };
}

function firstDiff(observed: Observed, { feed, longAgo }: DiffOptions): Diff | undefined {
  const { version, deletedAt } = observed;
  if (isSilent(feed, version)) return { state: stateOf(observed) };
  if (deletedAt !== null && !isAfter(version, longAgo)) return undefined;
  const action = deletedAt === null ? 'created' : 'deleted';
  const change = changeTo(observed, action, version, NO_FIELDS);
  return { change, state: stateOf(observed, change) };
}

/**
 * The inferred delete of an item that a newer parent does not show, or of an entity with a 404.
 *
 * @param time of the parent's version, or of the answer.
 */
export function inferDelete(
  state: EntityState,
  entity: Identity,
  time: Timestamp,
): Diff | undefined {
  // A delete that is still unpublished was too large to keep: this one replaces it.
  if (state.deleted && state.unpublished === undefined) return undefined;
  const sequence = inferredSequence(state);
  const object = state.content?.() ?? { id: entity.id };
  const fields = { changed: [], previous: {} };
  const change = changeOf(entity, { action: 'deleted', time, sequence, object, ...fields });
  const event = encodeEvent(change);
  const next = { sequence, deleted: true, inferred: time, event, unpublished: undefined };
  return { change, state: { ...state, ...next } };
}

function inferRestore(state: EntityState, observed: Observed, time: Timestamp): Diff {
  const sequence = inferredSequence(state);
  const fields = changedFields(state, observed.object);
  const change = { ...changeTo(observed, 'restored', sequence, fields), time };
  return { change, state: { ...stateOf(observed, change), inferred: time } };
}

/** Just above the last sequence, and below every later version. No clock: a repeat is the same. */
function inferredSequence({ sequence }: EntityState): Timestamp {
  return shiftNanoseconds(sequence, 1);
}

function actionOf(state: EntityState, observed: Observed): Action {
  if (observed.deletedAt === null) return state.deleted ? 'restored' : 'updated';
  return state.deleted ? 'updated' : 'deleted';
}

function changeTo(
  observed: Observed,
  action: Action,
  sequence: Timestamp,
  { changed, previous }: ChangedFields,
): Change {
  const { deletedAt, version, object } = observed;
  const time = action === 'deleted' ? (deletedAt ?? version) : version;
  return changeOf(observed, { action, time, sequence, object, changed, previous });
}

function stateOf(
  { key, version, deletedAt, object, lists }: Observed,
  change?: Change,
): EntityState {
  return {
    key,
    version,
    sequence: change?.sequence ?? version,
    deleted: deletedAt !== null,
    event: change && encodeEvent(change),
    nested: lists.length > 0 ? nestedDigests(lists) : undefined,
    content: () => object,
  };
}

/** A list that the page does not show keeps its digest, since a later page may show it again. */
function nestedDiff(state: EntityState, { lists }: Observed): Diff | undefined {
  const before = state.nested;
  const isKnown = ({ resource, digest }: NestedList): boolean =>
    digest === undefined || before?.[resource.name] === digest;
  if (lists.every(isKnown)) return undefined;
  return { state: { ...state, nested: { ...before, ...nestedDigests(lists) } } };
}
