import { FeedError, ProtocolError, type PageTooLargeError } from '../model/errors.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import { omitFields } from '../model/omit-fields.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { laterOf, type Timestamp } from '../model/timestamp.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page, PageRequest, ServiceApi } from '../ports/service-api.ts';
import { PageSize, type SizeFields } from './page-size.ts';
import { ListReader, type ListSource } from './read-list.ts';
import { isNewSince, momentOf, usableDate, watermarkOf, type Moment } from './watermark.ts';

/** How lists are read; from the operator's config. */
export interface ListOptions {
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
  /** Maximum time between an entity's `updated_at` and its appearance in the list. */
  readonly lookbackMs: number;
}

/** Everything that reading lists needs. All lists of a run share it. */
export interface ListsContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly options: ListOptions;
}

/** One page of a feed's list, and what to commit after it. */
export interface FeedPage {
  readonly page: Page;
  /** `last_synced_at` as it was sent; undefined on the first request of a feed's life. */
  readonly requestedCursor: string | undefined;
  /** The watermark; never before the feed's cursor. */
  readonly cursor: Timestamp | undefined;
  /** When the poll began: by the service's clock, as `updated_at` is, or by ours if the answer has no `Date`. */
  readonly beganAt: Timestamp;
  /** True when the poll ends with this page. */
  readonly isLast: boolean;
  /** See {@link PageRead}. */
  readonly hasAdvanced: boolean;
  /** True when the whole list from the cursor on is this page. */
  readonly isOnly: boolean;
  /** A timestamp that was stepped over: entities may be skipped. */
  readonly saturated: Timestamp | undefined;
  /** The fields that decide the size of the next poll's pages. */
  readonly size: SizeFields;
}

/**
 * One poll of a feed: reads its list from the cursor on.
 *
 * It ends at the last page, or at a page that changed as a whole since the poll began.
 */
export class FeedReader {
  readonly #feed: Feed;
  readonly #context: ListsContext;
  readonly #size: PageSize;
  readonly #reader: ListReader<Page>;
  #signal: AbortSignal | undefined;
  #began: Moment | undefined;
  #saturated: Timestamp | undefined;

  constructor(resource: Resource, feed: Feed, context: ListsContext) {
    this.#feed = feed;
    this.#context = context;
    this.#size = new PageSize(context.options.perPage, feed.pageSize);
    const { cursor, saturatedAt: knownTie } = feed;
    const source = sourceOf(resource, feed, (request) =>
      context.api.fetchPage(request, this.#signal),
    );
    this.#reader = new ListReader(source, this.#size, { cursor, knownTie });
  }

  /**
   * Reads the next page. Must not be called after the last one.
   *
   * @throws ProtocolError when the list cannot be read on by a cursor.
   * @throws PageTooSlowError with the size of the page.
   * @throws FeedError when one entity is too large for the memory.
   */
  async next(signal: AbortSignal): Promise<FeedPage> {
    const { clock, options } = this.#context;
    this.#signal = signal;
    const isFirst = this.#began === undefined;
    const startedAt = clock.now();
    const { page, times, latest, ...read } = await this.#reader.next();
    const date = usableDate(page.readAfter, clock.now());
    const began = (this.#began ??= momentOf(date, startedAt));
    const isEnd = isNewSince(times, began, momentOf(date, clock.now()));
    const isLast = !page.hasMore || isEnd;
    this.#saturated = laterOf(this.#saturated, read.saturated);
    return {
      ...read,
      page,
      cursor: laterOf(this.#feed.cursor, watermarkOf(latest, began, options.lookbackMs)),
      beganAt: began.byService,
      isLast,
      isOnly: isFirst && !page.hasMore,
      size: this.#sizeAfter(isLast),
    };
  }

  #sizeAfter(isLast: boolean): SizeFields {
    const pageSize = this.#size.keptAfter(isLast);
    const saturatedAt = this.#saturatedAt(isLast);
    return {
      ...(pageSize !== undefined && { pageSize }),
      ...(saturatedAt !== undefined && { saturatedAt }),
    };
  }

  /** The mark stays until a poll that starts before the timestamp has read on from there. */
  #saturatedAt(isLast: boolean): Timestamp | undefined {
    const { cursor, saturatedAt } = this.#feed;
    const isPassed = isLast && laterOf(cursor, saturatedAt) === saturatedAt;
    return laterOf(this.#saturated, isPassed ? undefined : saturatedAt);
  }
}

function sourceOf(
  resource: Resource,
  feed: Feed,
  fetchPage: (request: PageRequest) => Promise<Page>,
): ListSource<Page> {
  const { query } = resource;
  const path = feedPath(resource, feed.projectId);
  return {
    fetch: async (cursor, perPage) => {
      const lastSyncedAt = cursor !== undefined && { lastSyncedAt: cursor };
      const request = { path, ...(query && { query }), ...lastSyncedAt, perPage };
      return omitFields(await fetchPage(request), resource);
    },
    broken: (reason) =>
      new ProtocolError(`${feed.id}: ${reason}`, {
        hint: "Ask the service's provider. Nothing is skipped.",
      }),
    tooLarge: ({ size }: PageTooLargeError) =>
      new FeedError(`${feed.id}: a page of one entity has ${size}, more than the memory allows`, {
        hint: 'Raise memoryMb, or make the entity smaller.',
      }),
  };
}
