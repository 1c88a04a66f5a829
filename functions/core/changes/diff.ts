import { changedFields, type ChangedFields } from './changed-fields.ts';
import type { JsonObject } from '../model/entity.ts';
import { isOlderThanOutbox, type EntityKey, type EntityState } from '../model/entity-state.ts';
import type { Identity, ObservedEntity } from './observed-entity.ts';
import { compareTimestamps, laterOf, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import { type Action, type Change } from '../model/change.ts';

/** What a comparison found. */
export interface Diff {
  /** The change to publish, if there is one. */
  readonly change?: Change;
  /** What to save once the change is published; absent when nothing differs from what is stored. */
  readonly known?: EntityState;
}

/** Of most entities. */
const NOTHING: Diff = {};
/** Of an entity that was not known. */
const NO_FIELDS: ChangedFields = { changed: [] };

/**
 * Compares what a page shows with what is known.
 *
 * | Known before | ObservedEntity now             | Change                      |
 * |--------------|----------------------|-----------------------------|
 * | –            | anything, in silence | none; saved                 |
 * | –            | not deleted          | `created`                   |
 * | –            | deleted              | `deleted`                   |
 * | not deleted  | newer, not deleted   | `updated`                   |
 * | not deleted  | newer, deleted       | `deleted`                   |
 * | deleted      | newer, not deleted   | `restored`                  |
 * | deleted      | newer, deleted       | `updated`                   |
 * | missing      | back in the list     | `restored`, whatever its age|
 * | any          | same age or older    | none                        |
 *
 * @param silent true in the baseline: what is not known yet is learned without a change.
 */
export function diff(known: EntityState | undefined, seen: ObservedEntity, silent: boolean): Diff {
  if (known === undefined) {
    const learned = new SeenState(seen, seen.version);
    if (silent) return { known: learned };
    const action = seen.deletedAt === null ? 'created' : 'deleted';
    return { change: new SeenChange(seen, action, seen.version, NO_FIELDS), known: learned };
  }
  const isBack = known.missing === true && seen.deletedAt === null;
  const age = compareTimestamps(seen.version, known.version);
  if (age <= 0 && !isBack) {
    return age === 0 && nestedDiffers(known, seen) ? { known: withNested(known, seen) } : NOTHING;
  }
  // An entity's events must order by their sequence, also after one that was worked out.
  const sequence =
    compareTimestamps(seen.version, known.sequence) > 0
      ? seen.version
      : shiftTimestamp(known.sequence, 1);
  const fields = changedFields(known, seen.object);
  const change = new SeenChange(seen, actionOf(known, seen), sequence, fields);
  return { change, known: new SeenState(seen, sequence, known) };
}

/**
 * The change of a nested entity that is missing from its parent's list, which is complete by
 * definition. It has no timestamp of its own: the parent's is taken, or the next millisecond after
 * the entity's last event if that is later.
 */
export function diffMissing(
  known: EntityState,
  identity: Identity,
  parentVersion: Timestamp,
): Diff {
  if (known.deleted) return {};
  const sequence = laterOf(parentVersion, shiftTimestamp(known.sequence, 1));
  const change: Change = {
    action: 'deleted',
    entity: identity.entity,
    id: identity.id,
    subject: identity.subject,
    time: sequence,
    sequence,
    object: known.content ?? { id: identity.id },
    changed: [],
    previous: {},
  };
  return { change, known: { ...known, sequence, deleted: true, missing: true } };
}

function actionOf(known: EntityState, seen: ObservedEntity): Action {
  if (seen.deletedAt === null) return known.deleted ? 'restored' : 'updated';
  return known.deleted ? 'updated' : 'deleted';
}

/** A change that a page shows. A class, as `SeenEntity` is. */
class SeenChange implements Change {
  declare readonly action: Action;
  declare readonly entity: string;
  declare readonly id: string;
  declare readonly subject: string;
  declare readonly time: Timestamp;
  declare readonly sequence: Timestamp;
  declare readonly object: JsonObject;
  declare readonly changed: readonly string[];
  declare readonly previous: JsonObject | undefined;

  constructor(seen: ObservedEntity, action: Action, sequence: Timestamp, fields: ChangedFields) {
    this.action = action;
    this.entity = seen.entity;
    this.id = seen.id;
    this.subject = seen.subject;
    this.time = action === 'deleted' && seen.deletedAt !== null ? seen.deletedAt : seen.version;
    this.sequence = sequence;
    this.object = seen.object;
    this.changed = fields.changed;
    this.previous = fields.previous;
  }
}

/** What is to be known of an entity as a page shows it. A class, as `SeenEntity` is. */
class SeenState implements EntityState {
  declare readonly key: EntityKey;
  declare readonly version: Timestamp;
  declare readonly sequence: Timestamp;
  declare readonly deleted: boolean;
  declare readonly nested?: Readonly<Record<string, string>>;
  declare readonly content: JsonObject;

  constructor(seen: ObservedEntity, sequence: Timestamp, before?: EntityState) {
    this.key = seen.key;
    this.version = seen.version;
    this.sequence = sequence;
    this.deleted = seen.deletedAt !== null;
    if (seen.nested !== undefined) this.nested = nestedIn(seen, before);
    this.content = seen.object;
  }
}

/**
 * Digests of the nested lists as an answer shows them. One that was announced by a later answer keeps
 * its mark: it is still to be worked.
 */
function nestedIn(seen: ObservedEntity, known: EntityState | undefined): Record<string, string> {
  const digests = Object.entries(seen.nested ?? {}).map(([name, digest]) => {
    const mark = known?.nested?.[name];
    const isOlder = mark !== undefined && isOlderThanOutbox(seen.version, mark);
    return [name, isOlder ? mark : digest] as const;
  });
  return Object.fromEntries(digests);
}

/** A list that the page does not show keeps its digest: it may be shown again. */
function withNested(known: EntityState, seen: ObservedEntity): EntityState {
  return { ...known, nested: { ...known.nested, ...nestedIn(seen, known) } };
}

function nestedDiffers(known: EntityState, seen: ObservedEntity): boolean {
  if (seen.nested === undefined) return false;
  return Object.entries(nestedIn(seen, known)).some(([name, d]) => known.nested?.[name] !== d);
}
