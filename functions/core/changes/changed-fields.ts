import type { Change } from '../model/change.ts';
import type { EntityState } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { digestOf } from '../model/json/digest.ts';
import { ExactNumber } from '../model/json/json.ts';

export type ChangedFields = Pick<Change, 'changed' | 'previous'>;

/**
 * Top-level fields that differ, without `updated_at`, and their old values. A new field is named in
 * `changed` and has no old value; `previous` is absent when the old content was not kept.
 */
export function changedFields(state: EntityState, object: JsonObject): ChangedFields {
  const { digests = {} } = state;
  const content = state.content?.();
  const before: JsonObject = content ?? digests;
  const changed: string[] = [];
  let keptCount = 0;
  // Runs for each field of each changed entity, so it makes no lists of fields.
  for (const field in object) {
    const value = object[field];
    // An equal value is the object's own: JSON values equal nothing that an object inherits.
    if (content?.[field] === value) {
      keptCount += 1;
      continue;
    }
    const isKept = Object.hasOwn(before, field);
    if (isKept) keptCount += 1;
    const isSame =
      isKept && (content ? isSameJson(content[field], value) : digests[field] === digestOf(value));
    if (!isSame && field !== 'updated_at') changed.push(field);
  }
  const fieldsBefore = Object.keys(before);
  for (const field of fieldsBefore.length > keptCount ? fieldsBefore : []) {
    if (!Object.hasOwn(object, field)) changed.push(field);
  }
  changed.sort();
  return content === undefined ? { changed } : { changed, previous: pick(content, changed) };
}

/** Those of the given fields that the object has. */
function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  const picked: Record<string, unknown> = {};
  for (const field of fields) {
    if (!Object.hasOwn(object, field)) continue;
    const value = object[field];
    // Assigning __proto__ would set the prototype instead of a field.
    if (field === '__proto__') Object.defineProperty(picked, field, { value, enumerable: true });
    else picked[field] = value;
  }
  return picked;
}

/** Whether two JSON values are equal, regardless of the order of keys and the form of numbers. */
function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof ExactNumber || b instanceof ExactNumber) return digestOf(a) === digestOf(b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(
      (key) => Object.hasOwn(b, key) && isSameJson((a as JsonObject)[key], (b as JsonObject)[key]),
    )
  );
}
