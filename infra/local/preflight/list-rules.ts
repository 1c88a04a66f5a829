import type { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import { isShown } from '../../../functions/core/model/nested-entities.ts';
import type { Resource } from '../../../functions/core/model/resource-catalog.ts';
import { compareTimestamps, toCanonical } from '../../../functions/core/model/timestamp.ts';

export type Page = Awaited<ReturnType<ServiceApiClient['fetchPage']>>;

/** What the service answered when a page of a list was read. */
export interface PageRead {
  readonly resource: Pick<Resource, 'name' | 'query' | 'nested'>;
  /** The size that the request named. */
  readonly perPage: number;
  readonly page: Page;
  readonly headers: Pick<Headers, 'has'>;
}

/** The pages of one list that were read, in their order; not empty. */
type Facts = readonly PageRead[];

/** A line of the report. */
interface Finding {
  readonly result: 'warning' | 'not checked';
  readonly name: string;
  readonly text: string;
}

interface Rule extends Pick<Finding, 'result'> {
  /** What is wrong with the list, and what to do. Quotes names of fields, never values. */
  readonly find: (list: Facts) => string | undefined;
}

/** What a list must fulfil so that all its changes become events, and nothing else does. */
const RULES: readonly Rule[] = [
  { result: 'warning', find: findSmallPages },
  { result: 'warning', find: findDisorder },
  { result: 'warning', find: findInvalid },
  { result: 'warning', find: findNoSheets },
  { result: 'warning', find: findPrivateFields },
  { result: 'warning', find: findMissingHeaders },
  { result: 'not checked', find: findNoDeleted },
];

/** Judges the lists that were read. Lists with the same finding share a line. */
export function judgeLists(pages: readonly PageRead[]): Finding[] {
  const lists = Map.groupBy(pages, ({ resource }) => resource.name);
  return RULES.flatMap(({ result, find }) => {
    const found = [...lists].map(([name, list]) => ({ name, text: find(list) }));
    return [...Map.groupBy(found, ({ text }) => text)].flatMap(([text, of]) =>
      text === undefined
        ? []
        : [{ result, name: 'pages', text: `${of.map(({ name }) => name).join(', ')}: ${text}` }],
    );
  });
}

const entitiesOf = (list: Facts) => list.flatMap(({ page }) => page.entities);
const sizeOf = ({ page }: PageRead) => page.entities.length + page.invalid.length;

function findSmallPages(list: Facts): string | undefined {
  const small = list.find((read) => read.page.hasMore && sizeOf(read) < read.perPage);
  if (small === undefined) return undefined;
  const got = `asked for ${small.perPage}, got ${sizeOf(small)} and more`;
  return `${got}: set headers.perPage if the service has another name for Service-Per-Page`;
}

/** Looks at each page alone: the next one may repeat what ended the one before. */
function findDisorder(list: Facts): string | undefined {
  const isSorted = list.every(({ page }) => {
    const times = page.entities.map(({ updated_at }) => toCanonical(updated_at));
    return times.every(
      (time, index) => index === 0 || compareTimestamps(times[index - 1] ?? time, time) <= 0,
    );
  });
  return isSorted
    ? undefined
    : 'out of order, so changes would be missed: sort it by updated_at with query, or leave it out';
}

function findInvalid(list: Facts): string | undefined {
  const invalid = list.flatMap(({ page }) => page.invalid);
  if (invalid.length === 0) return undefined;
  const byField = Map.groupBy(invalid, ({ reason }) => reason.replace(/ must .*/s, ''));
  const counts = [...byField].map(([field, of]) => `${field} ${of.length}`).join(', ');
  const all = list.reduce((sum, read) => sum + sizeOf(read), 0);
  const share = `${invalid.length} of ${all} entities are invalid (${counts})`;
  return `${share}: they raise no event, ask the provider`;
}

function findNoSheets(list: Facts): string | undefined {
  const { query, nested = [] } = list[0]?.resource ?? {};
  const entities = entitiesOf(list);
  if (query?.['with_current_sheet'] !== 'true' || entities.length === 0) return undefined;
  if (entities.some((entity) => nested.some((each) => isShown(each, entity)))) return undefined;
  const fields = nested.flatMap((each) => each.fields).join(', ');
  return `none of ${fields}, though withCurrentSheet asks for it: try another serviceVersion`;
}

/** Words in names of fields that hold secrets, or by which a person can be reached. */
const PRIVATE_WORDS = new Set([
  ...['token', 'secret', 'password', 'passwd', 'passphrase', 'credential', 'apikey'],
  ...['email', 'mail', 'phone', 'mobile', 'fax', 'address'],
]);
const PLURAL = /(?<=ss)es$|(?<!s)s$/;
const PRIVATE_PAIR = /(?:api|access|private|secret)_keys?(?:_|$)/;
const FIELD_NAME = /^[\w-]{1,40}$/;
/** So many levels and names are enough to say what the list is like. */
const MAX_DEPTH = 10;
const MAX_NAMES = 5;

function isPrivate(name: string): boolean {
  if (!FIELD_NAME.test(name)) return false;
  const snake = name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
  return (
    PRIVATE_PAIR.test(snake) ||
    snake.split('_').some((word) => PRIVATE_WORDS.has(word.replace(PLURAL, '')))
  );
}

/** Names of private fields in a value and all that it holds; no further than a private one. */
function addPrivateFields(value: unknown, names: Set<string>, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [name, inner] of Object.entries(value)) {
    if (isPrivate(name)) names.add(name);
    else addPrivateFields(inner, names, depth + 1);
  }
}

function findPrivateFields(list: Facts): string | undefined {
  const names = new Set<string>();
  const invalid = list.flatMap(({ page }) => page.invalid);
  for (const value of [...entitiesOf(list), ...invalid]) addPrivateFields(value, names);
  if (names.size === 0) return undefined;
  const shown = [...names].slice(0, MAX_NAMES).join(', ') + (names.size > MAX_NAMES ? ', …' : '');
  return `its events hold ${shown}: remove top-level fields with omit, or limit who may subscribe`;
}

/** Headers that a page may lack, and what that means. */
const HEADERS = {
  'X-Count': 'a page that is cut short goes unnoticed',
  'X-Last-Synced-At': 'the last updated_at is sent instead',
  Date: 'each poll reads more than it needs',
} as const;

function findMissingHeaders(list: Facts): string | undefined {
  const missing = Object.entries(HEADERS).filter(([name]) =>
    // An empty page has nothing to count and no last time.
    list.some((read) => !read.headers.has(name) && (sizeOf(read) > 0 || name === 'Date')),
  );
  if (missing.length === 0) return undefined;
  const headers = missing.map(([name, meaning]) => `no ${name} (${meaning})`).join(', ');
  return `${headers}: ask the provider`;
}

function findNoDeleted(list: Facts): string | undefined {
  const entities = entitiesOf(list);
  if (entities.length === 0 || entities.some(({ deleted_at }) => deleted_at)) return undefined;
  return 'no entity is deleted; if you know of some, set headers.extra to the filter that shows them';
}
