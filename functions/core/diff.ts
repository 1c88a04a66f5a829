import { digestOf } from './digest.ts';
import type { JsonObject } from './entity.ts';
import type { Action, Change } from './event.ts';
import { isOlderThanAnnounced, type Announcement, type Known } from './known.ts';
import type { Identity, Seen } from './seen.ts';
import {
  compareTimestamps,
  laterOf,
  parseTimestamp,
  shiftTimestamp,
  type Timestamp,
} from './timestamp.ts';

/** What a comparison found. */
export interface Verdict {
  /** The change to publish, if there is one. */
  readonly change?: Change;
  /** What to save once the change is published; absent when nothing differs from what is stored. */
  readonly known?: Known;
}

/** Of most entities. */
const NOTHING: Verdict = {};

/**
 * Compares what a page shows with what is known.
 *
 * | Known before | Seen now             | Change                      |
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
export function diff(known: Known | undefined, seen: Seen, silent: boolean): Verdict {
  if (known === undefined) {
    const learned = knownFrom(seen, seen.version);
    if (silent) return { known: learned };
    const action = seen.deletedAt === null ? 'created' : 'deleted';
    return { change: changeFrom(seen, action, seen.version, { changed: [] }), known: learned };
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
  const change = changeFrom(
    seen,
    actionOf(known, seen),
    sequence,
    changedFields(known, seen.object),
  );
  return { change, known: knownFrom(seen, sequence, known) };
}

/**
 * The change of a nested entity that is missing from its parent's list, which is complete by
 * definition. It has no timestamp of its own: the parent's is taken, or the next millisecond after
 * the entity's last event if that is later.
 */
export function diffMissing(known: Known, identity: Identity, parentVersion: Timestamp): Verdict {
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

/**
 * What a verdict comes to before its event is published, for an entity whose change may not be seen
 * again: after a crash the page may come back without it.
 */
export function announce({ change, known }: Verdict): Known[] {
  if (change === undefined || known === undefined) return [];
  const { action, changed, previous } = change;
  return [{ ...known, announced: { action, changed, ...(previous && { previous }) } }];
}

/**
 * The verdict that was announced, once more: the same event, byte by byte, and what to save after it.
 *
 * @param seen where it is now: shows the content if that was too large to keep and is still the same.
 */
export function asAnnounced(
  { announced, ...known }: Known & { readonly announced: Announcement },
  identity: Omit<Identity, 'key'>,
  seen?: Seen,
): Required<Verdict> {
  const isSame = seen?.version === known.version;
  const object = known.content ?? (isSame ? seen.object : { id: identity.id });
  const deletedAt = known.missing ? undefined : parseTimestamp(object['deleted_at']);
  const isDeleted = announced.action === 'deleted';
  const change: Change = {
    entity: identity.entity,
    id: identity.id,
    subject: identity.subject,
    time: isDeleted ? (deletedAt ?? known.sequence) : known.version,
    sequence: known.sequence,
    object,
    ...announced,
  };
  return { change, known };
}

function actionOf(known: Known, seen: Seen): Action {
  if (seen.deletedAt === null) return known.deleted ? 'restored' : 'updated';
  return known.deleted ? 'updated' : 'deleted';
}

function changeFrom(
  seen: Seen,
  action: Action,
  sequence: Timestamp,
  fields: Pick<Change, 'changed' | 'previous'>,
): Change {
  const { changed, previous } = fields;
  return {
    action,
    entity: seen.entity,
    id: seen.id,
    subject: seen.subject,
    time: action === 'deleted' && seen.deletedAt !== null ? seen.deletedAt : seen.version,
    sequence,
    object: seen.object,
    changed,
    previous,
  };
}

function knownFrom(seen: Seen, sequence: Timestamp, before?: Known): Known {
  const { key, version, object: content } = seen;
  const deleted = seen.deletedAt !== null;
  // Not spread: most have no lists.
  return seen.nested === undefined
    ? { key, version, sequence, deleted, content }
    : { key, version, sequence, deleted, nested: nestedIn(seen, before), content };
}

/**
 * Digests of the nested lists as an answer shows them. One that was announced by a later answer keeps
 * its mark: it is still to be worked.
 */
function nestedIn(seen: Seen, known: Known | undefined): Record<string, string> {
  const digests = Object.entries(seen.nested ?? {}).map(([name, digest]) => {
    const mark = known?.nested?.[name];
    const isOlder = mark !== undefined && isOlderThanAnnounced(seen.version, mark);
    return [name, isOlder ? mark : digest] as const;
  });
  return Object.fromEntries(digests);
}

/** A list that the page does not show keeps its digest: it may be shown again. */
function withNested(known: Known, seen: Seen): Known {
  return { ...known, nested: { ...known.nested, ...nestedIn(seen, known) } };
}

function nestedDiffers(known: Known, seen: Seen): boolean {
  if (seen.nested === undefined) return false;
  return Object.entries(nestedIn(seen, known)).some(([name, d]) => known.nested?.[name] !== d);
}

/**
 * Top-level fields that differ, without `updated_at`, and what they were. A field that is new is
 * named in `changed` and has no old value; `previous` is absent when the old content is not kept.
 */
function changedFields(known: Known, object: JsonObject): Pick<Change, 'changed' | 'previous'> {
  const { content, digests = {} } = known;
  const before: JsonObject = content ?? digests;
  const changed: string[] = [];
  let kept = 0;
  // For each field of each changed entity: without lists of fields, and asking no more than needed.
  for (const field in object) {
    const value = object[field];
    // Then it is the object's own, too: nothing that an object inherits is JSON.
    if (content?.[field] === value) {
      kept += 1;
      continue;
    }
    const isKept = Object.hasOwn(before, field);
    if (isKept) kept += 1;
    const isSame =
      isKept && (content ? isSameJson(content[field], value) : digests[field] === digestOf(value));
    if (!isSame && field !== 'updated_at') changed.push(field);
  }
  const fieldsBefore = Object.keys(before);
  for (const field of fieldsBefore.length > kept ? fieldsBefore : []) {
    if (!Object.hasOwn(object, field) && field !== 'updated_at') changed.push(field);
  }
  sortNames(changed);
  return content === undefined ? { changed } : { changed, previous: pick(content, changed) };
}

/** Sorts names in place. Mostly they are few, and put in order here in a fifth of the time. */
function sortNames(names: string[]): void {
  if (names.length > 10) {
    names.sort();
    return;
  }
  for (let end = 1; end < names.length; end += 1) {
    const name = names[end] ?? '';
    let at = end;
    while (at > 0 && (names[at - 1] ?? '') > name) {
      names[at] = names[at - 1] ?? '';
      at -= 1;
    }
    names[at] = name;
  }
}

/** Those of the fields that the object has. Filled field by field: a list of entries takes longer. */
function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    if (!Object.hasOwn(object, field)) continue;
    const value = object[field];
    // Assigned, it would not be a field but what the object inherits from.
    if (field === '__proto__') Object.defineProperty(picked, field, { value, enumerable: true });
    else picked[field] = value;
  }
  return picked;
}

/** Whether two JSON values are equal; the order of an object's keys does not count. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && isSameJson((a as JsonObject)[key], (b as JsonObject)[key]),
    )
  );
}
