import type { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import type { Resource } from '../../../functions/core/model/resource-catalog.ts';
import { compareTimestamps, toCanonical } from '../../../functions/core/model/timestamp.ts';

/** One line of a check's report. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed' | 'not checked';
  /** The subject of the check: `config`. */
  readonly name: string;
  /** The finding, or the cause and a hint. */
  readonly text: string;
}

export interface PageRead {
  readonly resource: Pick<Resource, 'name'>;
  /** The size that the request named. */
  readonly perPage: number;
  readonly page: Awaited<ReturnType<ServiceApiClient['fetchPage']>>;
}

/** The pages of one list that were read, in their order; not empty. */
type Pages = readonly PageRead[];

/** Each names a fault of a list, and its remedy. It quotes names of fields, never values. */
const RULES: readonly ((list: Pages) => string | undefined)[] = [
  findSmallPages,
  findDisorder,
  findInvalid,
];

/** Judges the lists that were read. Lists with the same finding share a line. */
export function judgeLists(pages: readonly PageRead[]): Finding[] {
  const lists = [...Map.groupBy(pages, ({ resource }) => resource.name)];
  const apply = (rule: (list: Pages) => string | undefined, result: Finding['result']) =>
    [...Map.groupBy(lists, ([, list]) => rule(list))].flatMap(([text, found]) => {
      const names = found.map(([name]) => name).join(', ');
      return text === undefined ? [] : [{ result, name: 'pages', text: `${names}: ${text}` }];
    });
  return [
    ...RULES.flatMap((rule) => apply(rule, 'warning')),
    ...apply(findNoDeleted, 'not checked'),
  ];
}

const entitiesOf = (list: Pages) => list.flatMap(({ page }) => page.entities);
const sizeOf = ({ page }: PageRead) => page.entities.length + page.invalid.length;

function findSmallPages(list: Pages): string | undefined {
  const small = list.find((read) => read.page.hasMore && sizeOf(read) < read.perPage);
  if (small === undefined) return undefined;
  const got = `asked for ${small.perPage}, got ${sizeOf(small)} and more`;
  return `${got}: set headers.perPage if the service has another name for Service-Per-Page`;
}

/** Looks at each page alone: the next one may repeat the end of the one before. */
function findDisorder(list: Pages): string | undefined {
  const isSorted = list.every(({ page }) => {
    const times = page.entities.map(({ updated_at }) => toCanonical(updated_at));
    return times.every((time, i) => i === 0 || compareTimestamps(times[i - 1] ?? time, time) <= 0);
  });
  return isSorted
    ? undefined
    : 'out of order, so changes would be missed: sort it by updated_at with query, or leave it out';
}

function findInvalid(list: Pages): string | undefined {
  const invalid = list.flatMap(({ page }) => page.invalid);
  if (invalid.length === 0) return undefined;
  const byField = Map.groupBy(invalid, ({ reason }) => reason.replace(/ must .*/s, ''));
  const counts = [...byField].map(([field, of]) => `${field} ${of.length}`).join(', ');
  const all = list.reduce((sum, read) => sum + sizeOf(read), 0);
  const share = `${invalid.length} of ${all} entities are invalid (${counts})`;
  return `${share}: they raise no event, ask the provider`;
}

function findNoDeleted(list: Pages): string | undefined {
  const entities = entitiesOf(list);
  if (entities.length === 0 || entities.some(({ deleted_at }) => deleted_at)) return undefined;
  return 'no entity is deleted; if some are, set headers.extra to the filter that shows them';
}
