import type { Change } from '../model/change.ts';
import type { EntityState } from '../model/entity-state.ts';
import type { JsonObject } from '../model/entity.ts';
import { digestOf, fieldDigests } from '../model/json/digest.ts';
import { ExactNumber } from '../model/json/json.ts';

export type ChangedFields = Pick<Change, 'changed' | 'previous'>;

/**
 * Top-level fields that differ, without `updated_at`, and their old values. A new field is named in
 * `changed` and has no old value; `previous` is absent when the old content was not kept.
 */
export function changedFields(state: EntityState, object: JsonObject): ChangedFields {
  const content = state.content?.();
  if (content === undefined)
    return { changed: namesOfChanged(state.digests ?? {}, fieldDigests(object)) };
  const changed = namesOfChanged(content, object);
  return { changed, previous: pick(content, changed) };
}

/** Runs for each field of each changed entity, so it makes no lists of fields. */
function namesOfChanged(before: JsonObject, after: JsonObject): string[] {
  const changed: string[] = [];
  for (const field in after) {
    const [old, value] = [before[field], after[field]];
    const isKept = old === value || (Object.hasOwn(before, field) && isSameJson(old, value));
    if (!isKept && field !== 'updated_at') changed.push(field);
  }
  for (const field in before) if (!Object.hasOwn(after, field)) changed.push(field);
  return changed.sort();
}

/** Those of the given fields that the object has. */
function pick(object: JsonObject, fields: readonly string[]): JsonObject {
  const own = fields.filter((field) => Object.hasOwn(object, field));
  return Object.fromEntries(own.map((field) => [field, object[field]]));
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
