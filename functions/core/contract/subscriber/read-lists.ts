import { PageSize } from '../../lists/page-size.ts';
import { ListReader, type ListPage, type ListSource } from '../../lists/read-list.ts';
import { idOf, validateEntities, validIdOf, type Entity } from '../../model/entity.ts';
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
  /** As bytes: `json()` would round large numbers, and `text()` replace what is no UTF-8. */
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

/** An entity or a list that could not be read. */
export interface Gap {
  /** That of the entity if its id is valid, otherwise that of the list. */
  readonly path: string;
  readonly reason: string;
}

/** Reads all entities of all lists, in pages. Gaps go to `gaps`. */
export function readLists(options: ListOptions, gaps: Gap[]): AsyncGenerator<EntityVersion> {
  return new Lists(options, gaps).read();
}

class Lists {
  readonly #options: ListOptions;
  readonly #gaps: Gap[];

  constructor(options: ListOptions, gaps: Gap[]) {
    this.#options = options;
    this.#gaps = gaps;
  }

  async *read(): AsyncGenerator<EntityVersion> {
    const { withCurrentSheet = false, additionalPaths = [] } = this.#options;
    const additionalResources = additionalPaths.map((path) => ({ name: path, entity: '', path }));
    const catalog = makeCatalog({ withCurrentSheet, additionalResources });
    const ids: string[] = [];
    for await (const project of this.#readList(catalog.projects)) {
      ids.push(encodeURIComponent(project.object.id));
      yield project;
    }
    for (const resource of catalog.perAccount) yield* this.#readList(resource);
    for (const id of ids) {
      for (const resource of catalog.perProject) {
        yield* this.#readList(resource, resource.path.replace('{project_id}', id));
      }
    }
  }

  async *#readList(resource: Resource, path = resource.path): AsyncGenerator<EntityVersion> {
    const { perPage = 1000, source } = this.#options;
    // Pages overlap: entities come again, and an invalid one is one gap.
    const seen = new Set<string>();
    const pages: ListSource<ListPage> = {
      broken: (reason) => new Error(`List not read: ${source}${path}: ${reason}`),
      fetch: (cursor, count) => this.#readPage(resource, path, cursor, count),
    };
    const reader = new ListReader(pages, new PageSize(perPage));
    for (let hasMore = true; hasMore;) {
      const { page, saturated } = await reader.next();
      hasMore = page.hasMore;
      for (const { value, reason } of page.invalid) {
        const text = JSON.stringify(value);
        if (!seen.has(text)) this.#gaps.push(gapOf(path, value, reason));
        seen.add(text);
      }
      for (const entity of page.entities) {
        const version = `${idOf(entity)} ${entity.updated_at}`;
        if (!seen.has(version)) yield* this.#versionsOf(entity, resource, path);
        seen.add(version);
      }
      if (saturated === undefined) continue;
      const count = page.entities.length;
      const reason = `${count} or more entities changed at ${saturated}: others may be missing`;
      this.#gaps.push({ path, reason });
    }
  }

  async #readPage(
    resource: Resource,
    path: string,
    cursor: string | undefined,
    perPage: number,
  ): Promise<ListPage> {
    const query = { ...resource.query, ...(cursor !== undefined && { last_synced_at: cursor }) };
    const parameters = new URLSearchParams(query).toString();
    const url = `${this.#options.source}${path}${parameters && `?${parameters}`}`;
    const headers = { accept: 'application/json', 'Service-Per-Page': String(perPage) };
    const response = await this.#options.get(url, headers);
    const { status } = response;
    // The service may refuse the lists of a deleted project. Without projects nothing is read.
    if ((status === 403 || status === 404) && path !== '/projects') {
      this.#gaps.push({ path, reason: `the service answered ${status}` });
      return EMPTY_PAGE;
    }
    if (status === 204) return EMPTY_PAGE;
    const broken = (reason: string): Error => new Error(`List not read: ${url}: ${reason}`);
    if (status !== 200) throw broken(`the answer is ${status}`);
    const values = parseJson(decodeBody(await response.arrayBuffer(), broken));
    if (!Array.isArray(values)) throw broken('it holds no array');
    return { ...validateEntities(values), ...readPageEnd(response.headers, values.length, broken) };
  }

  /** The entity as its events show it, and its nested entities, which have events of their own. */
  *#versionsOf(entity: Entity, resource: Resource, path: string): Generator<EntityVersion> {
    const { source } = this.#options;
    const subject = `${path}/${idOf(entity)}`;
    yield versionOf(ownObject(resource, entity), source, subject);
    for (const nested of resource.nested ?? []) {
      const place = `${subject}/${nested.name}`;
      const { entities = [], invalid = [] } = nestedEntities(nested, entity) ?? {};
      this.#gaps.push(...invalid.map(({ value, reason }) => gapOf(place, value, reason)));
      for (const each of entities) yield versionOf(each, source, `${place}/${idOf(each)}`);
    }
  }
}

const EMPTY_PAGE: ListPage = { entities: [], invalid: [], hasMore: false };

function gapOf(path: string, value: unknown, reason: string): Gap {
  const id = validIdOf(value);
  return { path: id === undefined ? path : `${path}/${id}`, reason };
}

function versionOf(entity: Entity, source: string, subject: string): EntityVersion {
  const sequence = toFixedWidth(toCanonical(entity.updated_at));
  return { source, subject, sequence, isDeleted: Boolean(entity.deleted_at), object: entity };
}
