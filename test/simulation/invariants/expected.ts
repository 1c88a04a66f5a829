import { isDeepStrictEqual } from 'node:util';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { Action } from '../../../functions/core/model/change.ts';
import type { EntityState } from '../../../functions/core/model/entity-state.ts';
import type { JsonObject } from '../../../functions/core/model/entity.ts';

// A second implementation of the design's rules for changes, independent of the code under test.

/** The field that differs on every read without a change. */
const VOLATILE = 'preview_url';
/** Fields that hold entities of their own. */
const NESTED = ['template_check_items', 'current_sheet'];

/** An object without some of its fields. */
function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !fields.includes(field)));
}

/** The fields of an entity that events show: of a current sheet only the id. */
export function shownFields(object: JsonObject): JsonObject {
  const sheet = object['current_sheet'] as JsonObject | null | undefined;
  const sheetId = sheet === undefined ? {} : { current_sheet_id: sheet?.['id'] ?? null };
  return { ...without(object, [VOLATILE, ...NESTED]), ...sheetId };
}

/** Whether two objects are the same to a reader of events. */
export function isSame(one: JsonObject | undefined, other: JsonObject): boolean {
  return one !== undefined && isDeepStrictEqual(shownFields(one), shownFields(other));
}

/** The action of a change, by the table of the design. */
export function actionFor(prior: EntityState | undefined, isDeleted: boolean): Action {
  if (prior === undefined) return isDeleted ? 'deleted' : 'created';
  if (prior.deleted) return isDeleted ? 'updated' : 'restored';
  return isDeleted ? 'deleted' : 'updated';
}

/** The fields that differ from the saved state, and their old values. */
export function differences(prior: EntityState | undefined, object: JsonObject): Differences {
  if (prior?.content === undefined) return { changed: [], previous: {} };
  const before = shownFields(prior.content());
  const after = shownFields(object);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter(
    (name) => name !== 'updated_at' && !isDeepStrictEqual(before[name], after[name]),
  );
  const old = changed.filter((name) => name in before).map((name) => [name, before[name]]);
  return { changed, previous: Object.fromEntries(old) as JsonObject };
}

/** The changed fields of an event, and their old values. */
export interface Differences {
  readonly changed: readonly string[];
  readonly previous?: JsonObject;
}

/** The same without fields that are volatile. */
export function stable({ changed, previous = {} }: Differences): Differences {
  return {
    changed: changed.filter((name) => name !== VOLATILE),
    previous: without(previous, [VOLATILE]),
  };
}

/** The part of an event that is equal each time it is published. */
export function contentOf(event: ChangeEvent) {
  const { recordedtime: _, cause: __, data, ...rest } = event;
  return { ...rest, ...stable(data), object: without(data.object, [VOLATILE]) };
}
