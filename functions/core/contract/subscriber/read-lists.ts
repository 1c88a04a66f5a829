import { PageSize } from '../../lists/page-size.ts';
import { ListReader, type ListPage, type ListSource } from '../../lists/read-list.ts';
import { idOf, validateEntities, type Entity, type InvalidEntity } from '../../model/entity.ts';
import { decodeBody } from '../../model/json/decode-body.ts';
import { parseJson } from '../../model/json/json.ts';
import { nestedEntities, ownObject } from '../../model/nested-entities.ts';
import { readPageEnd, type AnswerHeaders } from '../../model/page-end.ts';
import { makeCatalog, type Resource } from '../../model/resource-catalog.ts';
import { toCanonical, toFixedWidth } from '../../model/timestamp.ts';
import type { EntityVersion } from './entity-version.ts';

/** An answer of the service: that of `fetch` fits. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /**
   * The body as it was sent: `json()` would round large numbers, and `text()` replace bytes that
   * are no UTF-8.
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
  const { perPage = 1000, source } = options;
  // Pages overlap: what was read already comes again.
  const read = new Map<string, string>();
  const reader = new ListReader(sourceOf(resource, path, options, gaps), new PageSize(perPage));
  for (let hasMore = true; hasMore;) {
    const { page, saturated } = await reader.next();
    hasMore = page.hasMore;
    for (const entity of page.entities) {
      if (read.get(idOf(entity)) === entity.updated_at) continue;
      read.set(idOf(entity), entity.updated_at);
      yield* versionsOf(entity, resource, source, path, gaps);
    }
    if (saturated === undefined) continue;
    const reason = `${page.entities.length} or more entities changed at ${saturated}: others may be missing`;
    gaps.push({ path, reason });
  }
}

/** The pages of a list. Repeats show an invalid entity again: each one is a gap once. */
function sourceOf(
  resource: Resource,
  path: string,
  options: ListOptions,
  gaps: Gap[],
): ListSource<ListPage> {
  const known = new Set<string>();
  const broken = (reason: string): Error =>
    new Error(`List not read: ${options.source}${path}: ${reason}`);
  return {
    broken,
    fetch: async (cursor, perPage) => {
      const page = await readPage(resource, path, { cursor, perPage }, options, gaps);
      for (const { value, reason } of page.invalid) {
        const key = JSON.stringify(value);
        if (!known.has(key)) gaps.push({ path, reason });
        known.add(key);
      }
      return page;
    },
  };
}

const EMPTY_PAGE: ListPage = { entities: [], invalid: [], hasMore: false };

async function readPage(
  resource: Resource,
  path: string,
  { cursor, perPage }: { readonly cursor: string | undefined; readonly perPage: number },
  { source, get }: ListOptions,
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
    return EMPTY_PAGE;
  }
  if (response.status === 204) return EMPTY_PAGE;
  if (response.status !== 200) {
    const advice = isRefused
      ? '; source must be {base_url}/api/v3, without a slash at its end'
      : '';
    throw new Error(`List not read: ${url} was answered with ${response.status}${advice}`);
  }
  const broken = (reason: string): Error => new Error(`List not read: ${url}: ${reason}`);
  const text = decodeBody(await response.arrayBuffer(), broken);
  const values = asArray(parseJson(text), url);
  return { ...validateEntities(values), ...readPageEnd(response.headers, values.length, broken) };
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
