import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { told } from './expected.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Row, Version } from './truth.ts';

/** The items of a checklist that a version of it shows, by id. */
export function itemsShown(version: Version | undefined): ReadonlyMap<string, JsonObject> {
  const items = (version?.object['template_check_items'] ?? []) as (JsonObject & { id: string })[];
  return new Map(items.map((item) => [item.id, item]));
}

/**
 * Whether something nested was ever as an event shows it. One that is deleted without saying so is
 * missing: a version around it, no later than the event, no longer showed it.
 */
export function happenedIn(around: Row | undefined, event: ChangeEvent): boolean {
  const { object } = event.data;
  const [id = '', list] = event.subject.split('/').toReversed();
  const shownBy = (version: Version): JsonObject | undefined =>
    list === 'sheets' ? sheetShown(version, id) : itemsShown(version).get(id);
  const versions = around?.versions ?? [];
  const wasSo = versions.some((version) => {
    const shown = shownBy(version);
    return shown !== undefined && isDeepStrictEqual(told(shown), told(object));
  });
  const isMissing = event.type.endsWith('.deleted') && object.deleted_at === null;
  const sinceShown = versions.slice(
    versions.findIndex((version) => shownBy(version) !== undefined),
  );
  const wasMissing = sinceShown.some(
    (version) => toFixedWidth(version.stamp) <= event.sequence && shownBy(version) === undefined,
  );
  return wasSo && (!isMissing || wasMissing);
}

function sheetShown({ object }: Version, id: string): JsonObject | undefined {
  const sheet = object['current_sheet'] as JsonObject | null | undefined;
  return sheet?.['id'] === id ? sheet : undefined;
}
