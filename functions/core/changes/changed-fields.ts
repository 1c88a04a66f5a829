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
  const content = state.content?.();
  const before: JsonObject = content ?? state.digests ?? {};
  const isSame = content === undefined ? isDigestOf : isSameJson;
  const changed: string[] = [];
  // Runs for each field of each changed entity, so it makes no lists of fields.
  for (const field in object) {
    if (isSame(before[field], object[field]) && Object.hasOwn(before, field)) continue;
    if (field !== 'updated_at') changed.push(field);
  }
  for (const field in before) if (!Object.hasOwn(object, field)) changed.push(field);
  changed.sort();
  return content === undefined ? { changed } : { changed, previous: pick(content, changed) };
}

/** Those of the given fields that the object has. */
function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  const own = fields.filter((field) => Object.hasOwn(object, field));
  return Object.fromEntries(own.map((field) => [field, object[field]]));
}

function isDigestOf(digest: unknown, value: unknown): boolean {
  return digest === digestOf(value);
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
