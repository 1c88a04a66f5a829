import type { JsonObject } from '../../functions/core/model/entity.ts';
import { newFeed, type Feed } from '../../functions/core/model/feed.ts';
import type { CursorFilters } from '../../functions/core/paging/cursor-filter.ts';
import { PageBuffer } from '../../functions/core/paging/page-buffer.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { makeCatalog, type Resource } from '../../functions/core/model/resource-catalog.ts';
import {
  Paginator,
  type FeedPage,
  type PagingOptions,
} from '../../functions/core/paging/paginator.ts';
import { at, ListService, type ListServiceOptions } from './list-service.ts';
import { ManualClock } from './manual-clock.ts';

const { projects } = makeCatalog();

/** Path of the list that is walked. */
export const LIST = projects.path;

/** A page of a walk that is left at once. */
type Walked = Omit<FeedPage, 'reservation'>;

/** What a walk starts from. */
export interface WalkSetUp extends Partial<PagingOptions> {
  readonly resource?: Resource;
  readonly cursor?: string;
  readonly committedLookbackMs?: number;
  readonly filters?: CursorFilters;
  readonly clock?: ManualClock;
  readonly pageBuffer?: PageBuffer;
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
    committedLookbackMs,
    filters,
    clock,
    pageBuffer,
    oneAtATime,
    ...options
  }: WalkSetUp = {},
): Paginator {
  const feed: Feed = {
    ...newFeed(resource, 'live'),
    ...(cursor !== undefined && { cursor }),
    ...(committedLookbackMs !== undefined && { lookbackMs: committedLookbackMs }),
  };
  return new Paginator(resource, feed, {
    api,
    clock: clock ?? new ManualClock(),
    paging: { perPage: 2, lookbackMs: 0, ...options },
    filters: filters ?? (new Map() as CursorFilters),
    oneAtATime: oneAtATime ?? new Set(),
    pageBuffer: pageBuffer ?? new PageBuffer(1e6),
  });
}

/** All pages of a walk. */
export async function walkAll(api: ListService, setUp?: WalkSetUp): Promise<Walked[]> {
  const paging = walkOf(api, setUp);
  const pages: Walked[] = [];
  do {
    const { reservation, ...feedPage } = await paging.next(new AbortController().signal);
    reservation.release();
    pages.push(feedPage);
    if (pages.length > MOST_PAGES) throw new Error('the walk does not come to its end');
  } while (pages.at(-1)?.isLast === false);
  return pages;
}

/** The `last_synced_at` of all requests. */
export const requestedCursor = (api: ListService) =>
  api.requests.map(({ lastSyncedAt }) => lastSyncedAt);

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
  invalid: [],
  hasMore: true,
  ...fields,
});
