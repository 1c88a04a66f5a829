import { idOf, validateEntities, type Entity, type InvalidEntity } from '../../model/entity.ts';
import { decodeBody } from '../../model/json/decode-body.ts';
import { parseJson } from '../../model/json/json.ts';
import { nestedEntities, ownObject } from '../../model/nested-entities.ts';
import { readPageEnd, type AnswerHeaders } from '../../model/page-end.ts';
import { makeCatalog, type Resource } from '../../model/resource-catalog.ts';
import { isAfter, isBeforeAll, toCanonical, toFixedWidth } from '../../model/timestamp.ts';
import type { EntityVersion } from './entity-version.ts';

/** An answer of the service: that of `fetch` fits. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /**
   * The body as it was sent: `json()` would round large numbers, and `text()` replace bytes that are no UTF-8, or all
   * of another charset.
   */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Which lists are read, and how. */
export interface ListOptions {
  /** The `source` of the events: `{base_url}/api/v3`. */
  readonly source: string;
  /**
   * Requests an address with headers, your access token, and the `serviceVersion`, `headers` and
   * `query` of Sitecast's config. Renews the token on 401, and retries failures that pass.
   */
  readonly get: (
    url: string,
    headers: Readonly<Record<string, string>>,
  ) => Promise<ServiceResponse>;
  /** As in Sitecast's config: read floorplans with their current sheet. Default: false. */
  readonly withCurrentSheet?: boolean;
  /** Entities per page. Default: 1000, the most that the service returns. */
  readonly perPage?: number;
  /** Paths of Sitecast's additional lists: `/projects/{project_id}/tasks`. Default: none. */
  readonly additionalPaths?: readonly string[];
}

/** A part of a list that could not be read. */
export interface Gap {
  /** The list, an entity of which is missing. */
  readonly path: string;
  readonly reason: string;
}

const ADDITIONAL_PATH = /^\/(projects\/\{project_id\}\/|(?!projects(\/|$)))./;

/** Reads all entities of all lists, in pages. Gaps go to `gaps`. */
export async function* readLists(options: ListOptions, gaps: Gap[]): AsyncGenerator<EntityVersion> {
  const { withCurrentSheet = false, additionalPaths = [] } = options;
  const odd = additionalPaths.find((path) => !ADDITIONAL_PATH.test(path));
  if (odd !== undefined) {
    throw new TypeError(
      `additionalPaths has ${JSON.stringify(odd)}; allowed: a path that starts with ` +
        '/projects/{project_id}/, or with / but not /projects',
    );
  }
  const additionalResources = additionalPaths.map((path) => ({ name: path, entity: '', path }));
  const { projects, perAccount, perProject } = makeCatalog({
    withCurrentSheet,
    additionalResources,
  });
  const ids: string[] = [];
  for await (const project of readList(projects, projects.path, options, gaps)) {
    ids.push(String(project.object.id));
    yield project;
  }
  for (const resource of perAccount) yield* readList(resource, resource.path, options, gaps);
  for (const id of ids) {
    for (const resource of perProject) {
      yield* readList(
        resource,
        resource.path.replace('{project_id}', encodeURIComponent(id)),
        options,
        gaps,
      );
    }
  }
}

async function* readList(
  resource: Resource,
  path: string,
  options: ListOptions,
  gaps: Gap[],
): AsyncGenerator<EntityVersion> {
  const read = new Map<string, string>();
  let cursor: string | undefined;
  for (;;) {
    const page = await readPage(resource, path, cursor, options, gaps);
    const fresh = page.entities.filter((each) => read.get(idOf(each)) !== each.updated_at);
    for (const entity of fresh) {
      read.set(idOf(entity), entity.updated_at);
      yield* versionsOf(entity, resource, options.source, path, gaps);
    }
    if (page.last === undefined) return;
    if (fresh.length === 0 && page.last !== cursor) {
      const reason = `${page.entities.length} or more entities changed at ${page.last}: others may be missing`;
      gaps.push({ path, reason });
    }
    const next = nextCursor(cursor, page.last, page.entities, fresh.length > 0);
    if (fresh.length === 0 && cursor !== undefined && Date.parse(next) < Date.parse(cursor)) {
      throw new Error(`List not read: ${path} has no page after ${cursor}`);
    }
    cursor = isBeforeAll(next) ? undefined : next;
  }
}

interface ListPage {
  readonly entities: readonly Entity[];
  /** Where the next page starts; absent on the last one. */
  readonly last?: string;
}

async function readPage(
  resource: Resource,
  path: string,
  cursor: string | undefined,
  { source, get, perPage = 1000 }: ListOptions,
  gaps: Gap[],
): Promise<ListPage> {
  const query = { ...resource.query, ...(cursor !== undefined && { last_synced_at: cursor }) };
  const url = `${source}${path}${toText(query)}`;
  const headers = { accept: 'application/json', 'Service-Per-Page': String(perPage) };
  const response = await get(url, headers);
  const isRefused = response.status === 403 || response.status === 404;
  // The service may refuse the lists of a deleted project. Without the list of projects nothing is read.
  if (isRefused && path !== '/projects') {
    gaps.push({ path, reason: `the service answered ${response.status}` });
    return { entities: [] };
  }
  if (response.status === 204) return { entities: [] };
  if (response.status !== 200) {
    const advice = isRefused
      ? '; source must be {base_url}/api/v3, without a slash at its end'
      : '';
    throw new Error(`List not read: ${url} was answered with ${response.status}${advice}`);
  }
  const broken = (reason: string): Error => new Error(`List not read: ${url}: ${reason}`);
  const text = decodeBody(
    await response.arrayBuffer(),
    response.headers.get('Content-Type'),
    (charset) => broken(`the body must be text in ${charset}`),
  );
  const values = asArray(parseJson(text), url);
  const { hasMore, lastSyncedAt } = readPageEnd(response.headers, values.length, broken);
  const { entities, invalid } = validateEntities(values);
  gaps.push(...invalid.map((each) => gapOf(path, each)));
  if (!hasMore) return { entities };
  checkOrder(entities, broken);
  const end = pageEnd(lastSyncedAt, cursor) ?? entities.at(-1)?.updated_at;
  if (end === undefined) throw new Error(`List not read: ${url} has more, but no next page`);
  return { entities, last: toCanonical(end) };
}

/** Reading a list by a cursor loses entities in silence unless the list ascends by `updated_at`. */
function checkOrder(entities: readonly Entity[], broken: (reason: string) => Error): void {
  for (const [index, later] of entities.slice(1).entries()) {
    const earlier = entities[index];
    if (earlier === undefined) return;
    if (!isAfter(toCanonical(earlier.updated_at), toCanonical(later.updated_at))) continue;
    const [first, second] = [earlier, later].map((each) => `${each.id} (${each.updated_at})`);
    throw broken(`the list must ascend by updated_at, but ${first} comes before ${second}`);
  }
}

/** As for the poller, a header that is not later than the cursor that was sent says nothing: it leads nowhere. */
function pageEnd(header: string | undefined, cursor: string | undefined): string | undefined {
  if (header === undefined || cursor === undefined) return header;
  return isAfter(toCanonical(header), toCanonical(cursor)) ? header : undefined;
}

/**
 * One millisecond before the page's end, since it may lie between entities of one timestamp: those read
 * already come again. A page without any other entity is stepped over; with a `>=` filter that takes two
 * steps.
 */
function nextCursor(
  cursor: string | undefined,
  last: string,
  entities: readonly Entity[],
  hasProgress: boolean,
): string {
  if (!hasProgress && last !== cursor) return last;
  const times = [last, ...entities.slice(-1).map(({ updated_at }) => updated_at)];
  const end = Math.min(...times.map((time) => Date.parse(time)));
  return new Date(hasProgress ? end - 1 : end + 1).toISOString();
}

/** The entity as its events show it, and its nested entities, which have events of their own. */
function* versionsOf(
  entity: Entity,
  resource: Resource,
  source: string,
  path: string,
  gaps: Gap[],
): Generator<EntityVersion> {
  const subject = `${path}/${idOf(entity)}`;
  yield versionOf(ownObject(resource, entity), source, subject);
  for (const nested of resource.nested ?? []) {
    const place = `${subject}/${nested.name}`;
    const { entities, invalid } = nestedEntities(nested, entity) ?? { entities: [], invalid: [] };
    gaps.push(...invalid.map((each) => gapOf(place, each)));
    for (const each of entities) yield versionOf(each, source, `${place}/${idOf(each)}`);
  }
}

function versionOf(entity: Entity, source: string, subject: string): EntityVersion {
  const sequence = toFixedWidth(toCanonical(entity.updated_at));
  return { source, subject, sequence, isDeleted: Boolean(entity.deleted_at), object: entity };
}

function gapOf(path: string, { reason }: InvalidEntity): Gap {
  return { path, reason };
}

function asArray(value: unknown, place: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`List not read: ${place} holds no array`);
}

function toText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
