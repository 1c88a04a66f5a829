import { digestOf } from '../model/digest.ts';
import type { JsonObject } from '../model/entity.ts';
import type { EntityState } from '../model/entity-state.ts';
import { type Change } from '../model/change.ts';

/** What an event tells of a comparison. */
export type ChangedFields = Pick<Change, 'changed' | 'previous'>;

/**
 * Top-level fields that differ, without `updated_at`, and what they were. A field that is new is
 * named in `changed` and has no old value; `previous` is absent when the old content is not kept.
 */
export function changedFields(known: EntityState, object: JsonObject): ChangedFields {
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
    if (!Object.hasOwn(object, field)) changed.push(field);
  }
  changed.sort();
  return content === undefined ? { changed } : { changed, previous: pick(content, changed) };
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
