import { isDeepStrictEqual } from 'node:util';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type { Delivery } from './delivery.ts';
import { told } from './expected.ts';
import type { History } from './history/history.ts';
import type { BuildingSite } from './site.ts';
import type { Row, Version } from './truth.ts';

/** The items of a checklist that a version of it shows, by id. */
export function itemsShown(version: Version | undefined): ReadonlyMap<string, JsonObject> {
  const items = (version?.object['template_check_items'] ?? []) as (JsonObject & { id: string })[];
  return new Map(items.map((item) => [item.id, item]));
}

/** All rows of a site, by subject. */
export function rowsBySubject(site: BuildingSite): ReadonlyMap<string, Row> {
  const lists = [site.projects, ...site.all.map(({ list }) => list)];
  return new Map(lists.flatMap((list) => list.rows.map((row) => [`${list.path}/${row.id}`, row])));
}

/** The subject of the parent of a nested entity. */
export const parentOf = (subject: string): string => subject.split('/').slice(0, -2).join('/');

/** Whether an entity had two contents under one `updated_at`: readers cannot tell them apart. */
export function isAmbiguous(rows: ReadonlyMap<string, Row>, { subject, sequence }: ChangeEvent) {
  const stamps = rows.get(subject)?.versions.map(({ stamp }) => toFixedWidth(stamp));
  if (stamps) return stamps.filter((stamp) => stamp === sequence).length > 1;
  const contents = new Map<unknown, JsonObject>();
  return (rows.get(parentOf(subject))?.versions ?? []).some((version) => {
    const item = itemsShown(version).get(subject.split('/').at(-1) ?? '');
    if (item === undefined) return false;
    const other = contents.get(item['updated_at']) ?? item;
    contents.set(item['updated_at'], item);
    return !isDeepStrictEqual(item, other);
  });
}

/**
 * Whether a nested entity was ever as an event shows it. If it was deleted by missing, a version of its
 * parent must lack it that came after one that showed it; if it came back, a later one must show it.
 */
export function happenedIn(
  around: Row | undefined,
  { event, prior }: Delivery,
  { service, maxItemBytes }: History,
): boolean {
  const { object } = event.data;
  const [id = '', list] = event.subject.split('/').toReversed();
  const shownBy = (version: Version): JsonObject | undefined =>
    list === 'sheets' ? sheetShown(version, id) : itemsShown(version).get(id);
  const versions = around?.versions ?? [];
  // The content of an item that went may have been too large to keep.
  if (maxItemBytes && event.type.endsWith('.deleted') && Object.keys(object).length === 1)
    return true;
  const wasShown = versions.some((version) => {
    const shown = shownBy(version);
    return shown !== undefined && isDeepStrictEqual(told(shown), told(object));
  });
  if (!wasShown) return false;
  const isMissing = event.type.endsWith('.deleted') && object.deleted_at === null;
  const isBack = event.type.endsWith('.restored') && prior?.inferred !== undefined;
  // After a crash, a copy that lags may show an older list: limit 8.
  if (!(isMissing || isBack) || service.lagMs > 0) return true;
  const wentAt = versions.findIndex(
    (version, n) =>
      shownBy(version) === undefined &&
      versions.slice(0, n).some((before) => shownBy(before) !== undefined),
  );
  return wentAt >= 0 && (isMissing || versions.slice(wentAt).some((after) => shownBy(after)));
}

function sheetShown({ object }: Version, id: string): JsonObject | undefined {
  const sheet = object['current_sheet'] as JsonObject | null | undefined;
  return sheet?.['id'] === id ? sheet : undefined;
}
