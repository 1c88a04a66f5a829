import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../functions/core/model/change.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';

// A second implementation of the design's rules for changes, independent of the code under test.

/** Fields that differ on every read without a change. */
export const VOLATILE = ['preview_url'];
/** Fields that hold entities of their own. */
const NESTED = ['template_check_items', 'current_sheet'];

/** An object without some of its fields. */
export function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

/** The fields of an entity that events show: of a current sheet only the id. */
export function told(object: JsonObject): JsonObject {
  const sheet = object['current_sheet'] as JsonObject | null | undefined;
  const sheetId = sheet === undefined ? {} : { current_sheet_id: sheet?.['id'] ?? null };
  return { ...without(object, [...VOLATILE, ...NESTED]), ...sheetId };
}

/** The action of a change, by the table of the design. */
export function actionFor(prior: EntityState | undefined, isDeleted: boolean): Action {
  if (prior === undefined) return isDeleted ? 'deleted' : 'created';
  if (prior.deleted) return isDeleted ? 'updated' : 'restored';
  return isDeleted ? 'deleted' : 'updated';
}

/** The fields that differ from the saved state, and their old values. */
export function differences(
  prior: EntityState | undefined,
  object: JsonObject,
): { readonly changed: readonly string[]; readonly previous: JsonObject } {
  if (prior?.content === undefined) return { changed: [], previous: {} };
  const before = told(prior.content());
  const after = told(object);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter(
    (name) => name !== 'updated_at' && !isDeepStrictEqual(before[name], after[name]),
  );
  const old = changed.filter((name) => name in before).map((name) => [name, before[name]]);
  return { changed, previous: Object.fromEntries(old) as JsonObject };
}

/** Whether an event tells the right differences; volatile fields do not count. */
export function isSameAccount(
  data: { readonly changed: readonly string[]; readonly previous?: JsonObject },
  expected: ReturnType<typeof differences>,
): boolean {
  return (
    isDeepStrictEqual(
      data.changed.filter((name) => !VOLATILE.includes(name)),
      expected.changed,
    ) && isDeepStrictEqual(without(data.previous ?? {}, VOLATILE), expected.previous)
  );
}
