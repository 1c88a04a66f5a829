import { validateEntities, type JsonObject } from '../../functions/core/model/entity.ts';
import { ServiceError } from '../../functions/core/model/errors.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { parseTimestamp, toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type {
  EntityAnswer,
  EntityRequest,
  Page,
  PageRequest,
  ServiceApi,
} from '../../functions/core/ports/service-api.ts';

/** Replaces or delays a page. */
export type PageAnswer = (page: Page, signal: AbortSignal | undefined) => Page | Promise<Page>;

/** An entity with its place in the order of its list. */
interface Placed {
  readonly entity: JsonObject;
  readonly order: string;
}

/** How a {@link ListService} does what the spec leaves open. */
export interface ListServiceOptions {
  /** How `last_synced_at` filters; default `>`. */
  readonly filter?: '>' | '>=';
  /** The service's clock, in milliseconds since 1970. Without one its answers have no date. */
  readonly clock?: (() => number) | undefined;
  /** Maximum entities on a page. Default 1000. */
  readonly largestPage?: number;
}

/**
 * Lists in memory, paged by the spec's "Pagination rules". An unknown list is refused with 404.
 */
export class ListService implements Pick<ServiceApi, 'fetchPage' | 'fetchEntity'> {
  /** All requests in their order, as the service sees them. */
  readonly requests: PageRequest[] = [];
  /** Ids that the lists leave out, although the entities are there. */
  readonly hidden = new Set<string>();
  /** Answers to requests for one entity by its path, in place of the true one. */
  readonly entityAnswers = new Map<string, EntityAnswer | Error>();
  /** By path, then by id. */
  readonly #lists = new Map<string, Map<string, Placed>>();
  /** Sorted entities until the list changes: sorting took most of the time of long runs. */
  readonly #sorted = new Map<string, readonly Placed[]>();
  readonly #answers = new Map<string, PageAnswer[]>();
  readonly #options: ListServiceOptions;

  constructor(options: ListServiceOptions = {}) {
    this.#options = options;
  }

  /** Makes an empty list, or empties one. */
  clear(path: string): void {
    this.#lists.set(path, new Map());
    this.#sorted.delete(path);
  }

  /** Removes a list, like a lost permission. */
  refuse(path: string): void {
    this.#lists.delete(path);
  }

  /** Creates or replaces entities of a list by their id. */
  put(path: string, ...entities: readonly JsonObject[]): void {
    const list = this.#lists.get(path) ?? new Map<string, Placed>();
    this.#lists.set(path, list);
    this.#sorted.delete(path);
    for (const entity of entities)
      list.set(String(entity['id']), { entity, order: orderOf(versionOf(entity)) });
  }

  /** Removes an entity without a trace. */
  destroy(path: string, id: string): void {
    this.#lists.get(path)?.delete(id);
    this.#sorted.delete(path);
  }

  /** Replaces the next answers of a list, one each. */
  answerNext(path: string, ...answers: readonly PageAnswer[]): void {
    this.#answers.set(path, [...(this.#answers.get(path) ?? []), ...answers]);
  }

  /** Paths of the requests since the last call. */
  takePaths(): string[] {
    return this.requests.splice(0).map(({ path }) => path);
  }

  async fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page> {
    signal?.throwIfAborted();
    this.requests.push(request);
    const page = this.#page(request);
    const answer = this.#answers.get(request.path)?.shift();
    return answer === undefined ? page : answer(page, signal);
  }

  fetchEntity({ path, query }: EntityRequest, signal?: AbortSignal): Promise<EntityAnswer> {
    signal?.throwIfAborted();
    this.requests.push({ path, perPage: 1, ...(query && { query }) });
    const answer = this.entityAnswers.get(path);
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(answer ?? this.#entity(path));
  }

  #entity(path: string): EntityAnswer {
    const end = path.lastIndexOf('/');
    const found = this.#lists.get(path.slice(0, end))?.get(path.slice(end + 1))?.entity;
    const [entity] = found ? validateEntities([parseJson(JSON.stringify(found))]).entities : [];
    return entity === undefined ? { verdict: 'missing' } : { verdict: 'found', entity };
  }

  get #readAfter(): Pick<Page, 'readAfter'> {
    const { clock } = this.#options;
    return clock ? { readAfter: new Date(clock()).toISOString() } : {};
  }

  #page({ path, lastSyncedAt, perPage }: PageRequest): Page {
    const list = this.#lists.get(path);
    if (list === undefined) {
      throw new ServiceError(`GET ${path}: 404`, { status: 404, hint: 'Nothing.' });
    }
    const { filter = '>', largestPage = 1000 } = this.#options;
    const from = lastSyncedAt === undefined ? '' : orderOf(lastSyncedAt);
    const isShown = ({ entity, order }: Placed): boolean =>
      (order > from || (filter === '>=' && order === from)) &&
      !this.hidden.has(String(entity['id']));
    const after = this.#inOrder(path, list).filter(isShown);
    const shown = after.slice(0, Math.min(perPage, largestPage)).map(({ entity }) => entity);
    const last = shown.at(-1);
    return {
      ...validateEntities(parseJson(JSON.stringify(shown)) as unknown[]),
      hasMore: after.length > shown.length,
      ...(last && { lastSyncedAt: versionOf(last) }),
      ...this.#readAfter,
    };
  }

  #inOrder(path: string, list: ReadonlyMap<string, Placed>): readonly Placed[] {
    const known = this.#sorted.get(path);
    if (known !== undefined) return known;
    const sorted = [...list.values()].sort((a, b) => a.order.localeCompare(b.order));
    this.#sorted.set(path, sorted);
    return sorted;
  }
}

function versionOf(entity: JsonObject): string {
  return String(entity['updated_at']);
}

/** Texts that order as the timestamps do; others stay as they are. */
function orderOf(time: string): string {
  return toFixedWidth(parseTimestamp(time) ?? time);
}

/** Second `n` of the tests' day as a timestamp. */
export function timeAt(n: number): string {
  return new Date(Date.parse('2026-03-02T08:00:00.000Z') + n * 1000).toISOString();
}

/** Never resolves; rejects with the reason of the abort. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}
