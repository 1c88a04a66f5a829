import type { JsonObject } from '../../functions/core/model/entity.ts';
import { newFeed, type Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog, type Resource } from '../../functions/core/model/resource-catalog.ts';
import type { FeedPage } from '../../functions/core/paging/feed-page.ts';
import { PageBuffer } from '../../functions/core/paging/page-buffer.ts';
import { Paginator } from '../../functions/core/paging/paginator.ts';
import type { PagingContext, PagingOptions } from '../../functions/core/paging/paging-context.ts';
import { ServiceTime } from '../../functions/core/paging/service-time.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { timeAt, ListService, type ListServiceOptions } from './list-service.ts';
import { ManualClock } from './manual-clock.ts';

const { projects } = makeCatalog();

/** Path of the list that is read. */
export const LIST_PATH = projects.path;

/** A signal that is never aborted. */
export const neverAborted = new AbortController().signal;

type ReleasedPage = Omit<FeedPage, 'reservation'>;

export interface PaginatorSetup
  extends Partial<PagingOptions>, Partial<Omit<PagingContext, 'api' | 'options'>> {
  readonly resource?: Resource;
  readonly cursor?: string | undefined;
  readonly committedLookbackMs?: number;
  /** See {@link Feed.slowPolls}. */
  readonly slowPolls?: number;
  /** Of these, how many were failures of the list. Default: all. */
  readonly failures?: number;
}

/** More pages than any list of the tests has: a paginator that loops fails its test at once. */
const MAX_PAGES = 60;

/** A list with an entity for each second; a second that is given twice is a tie. */
export function listOf(seconds: readonly number[], options?: ListServiceOptions): ListService {
  const api = new ListService(options);
  api.clear(LIST_PATH);
  api.put(LIST_PATH, ...seconds.map((n, i) => ({ id: `p${i}`, updated_at: timeAt(n) })));
  return api;
}

export function makePaginator(
  api: ServiceApi,
  {
    resource = projects,
    cursor,
    committedLookbackMs,
    slowPolls = 0,
    failures = slowPolls,
    perPage = 2,
    lookbackMs = 0,
    clock = new ManualClock(),
    ...context
  }: PaginatorSetup = {},
): Paginator {
  const feed: Feed = {
    ...newFeed(resource, 'live'),
    slowPolls,
    slowFailures: Math.min(failures, slowPolls),
    ...(cursor !== undefined && { cursor }),
    ...(committedLookbackMs !== undefined && { lookbackMs: committedLookbackMs }),
  };
  return new Paginator(resource, feed, {
    api,
    clock,
    serviceTime: new ServiceTime(clock),
    pageBuffer: new PageBuffer(1e6),
    options: { perPage, lookbackMs },
    ...context,
  });
}

/** Reads a list to its end. */
export async function readList(api: ServiceApi, setup?: PaginatorSetup): Promise<ReleasedPage[]> {
  const paginator = makePaginator(api, setup);
  const pages: ReleasedPage[] = [];
  do {
    const { reservation, ...page } = await paginator.next(neverAborted);
    reservation.release();
    pages.push(page);
    if (pages.length > MAX_PAGES) throw new Error('the list does not end');
  } while (pages.at(-1)?.isLast === false);
  return pages;
}

/** The `last_synced_at` of all requests. */
export const requestedCursors = (api: ListService) =>
  api.requests.map(({ lastSyncedAt }) => lastSyncedAt);

/** Ids of the entities on the pages. */
export const shownIds = (pages: readonly ReleasedPage[]) => [
  ...new Set(pages.flatMap(({ page }) => page.entities.map(({ id }) => id))),
];

/** Ids of the first entities of a list. */
export const firstIds = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

/** The cursors to commit. */
export const cursorsOf = (pages: readonly ReleasedPage[]) => pages.map(({ cursor }) => cursor);

/** The timestamps that were stepped over. */
export const saturatedTimes = (pages: readonly ReleasedPage[]) =>
  pages.flatMap(({ saturated }) => saturated ?? []);

/** An answer without entities that says there is more. */
export const emptyPage = (fields: JsonObject) => () => ({
  entities: [],
  invalid: [],
  hasMore: true,
  ...fields,
});
