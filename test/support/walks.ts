import type { JsonObject } from '../../functions/core/model/entity.ts';
import { newFeed, type Feed } from '../../functions/core/model/feed.ts';
import type { Filters } from '../../functions/core/paging/cursor-filter.ts';
import { PagesInHand } from '../../functions/core/paging/page-buffer.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { makeCatalogue, type Resource } from '../../functions/core/model/resource-catalog.ts';
import { Walk, type WalkedPage, type WalkOptions } from '../../functions/core/paging/paginator.ts';
import { at, ListService, type ListServiceOptions } from './list-service.ts';
import { ManualClock } from './manual-clock.ts';

const { projects } = makeCatalogue();

/** Path of the list that is walked. */
export const LIST = projects.path;

/** A page of a walk that is left at once. */
type Walked = Omit<WalkedPage, 'room'>;

/** What a walk starts from. */
export interface WalkSetUp extends Partial<WalkOptions> {
  readonly resource?: Resource;
  readonly cursor?: string;
  readonly finalForMs?: number;
  readonly filters?: Filters;
  readonly clock?: ManualClock;
  readonly pagesInHand?: PagesInHand;
  readonly oneAtATime?: Set<string>;
}

/** More pages than any list of the tests has: a walk that loops fails its test at once. */
const MOST_PAGES = 60;

/** A list with an entity for each second; a second that is given twice is a tie. */
export function listOf(seconds: readonly number[], options?: ListServiceOptions): ListService {
  const api = new ListService(options);
  api.clear(LIST);
  api.put(LIST, ...seconds.map((n, i) => ({ id: `p${i}`, updated_at: at(n) })));
  return api;
}

/** A walk of the list. */
export function walkOf(
  api: ServiceApi,
  {
    resource = projects,
    cursor,
    finalForMs,
    filters,
    clock,
    pagesInHand,
    oneAtATime,
    ...options
  }: WalkSetUp = {},
): Walk {
  const feed: Feed = {
    ...newFeed(resource, 'live'),
    ...(cursor !== undefined && { cursor }),
    ...(finalForMs !== undefined && { finalForMs }),
  };
  return new Walk(resource, feed, {
    api,
    clock: clock ?? new ManualClock(),
    walk: { perPage: 2, overlapMs: 0, ...options },
    filters: filters ?? (new Map() as Filters),
    oneAtATime: oneAtATime ?? new Set(),
    pagesInHand: pagesInHand ?? new PagesInHand(1e6),
  });
}

/** All pages of a walk. */
export async function walkAll(api: ListService, setUp?: WalkSetUp): Promise<Walked[]> {
  const walk = walkOf(api, setUp);
  const pages: Walked[] = [];
  do {
    const { room, ...walked } = await walk.next(new AbortController().signal);
    room.release();
    pages.push(walked);
    if (pages.length > MOST_PAGES) throw new Error('the walk does not come to its end');
  } while (pages.at(-1)?.isLast === false);
  return pages;
}

/** The `last_synced_at` of all requests. */
export const sent = (api: ListService) => api.requests.map(({ lastSyncedAt }) => lastSyncedAt);

/** Ids of what the pages show. */
export const shown = (pages: readonly Walked[]) => [
  ...new Set(pages.flatMap(({ page }) => page.entities.map(({ id }) => id))),
];

/** Ids of the first entities of a list. */
export const all = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

/** The cursors to commit. */
export const cursors = (pages: readonly Walked[]) => pages.map(({ cursor }) => cursor);

/** An answer without entities that says there is more. */
export const empty = (fields: JsonObject) => () => ({
  entities: [],
  unusable: [],
  hasMore: true,
  ...fields,
});
