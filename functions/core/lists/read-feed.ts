import { ProtocolError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import { omitFields } from '../model/json/omit-fields.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { laterOf, type Timestamp } from '../model/timestamp.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page, ServiceApi } from '../ports/service-api.ts';
import { PageSize, type SizeFields } from './page-size.ts';
import { ListReader, type ListSource, type PageRead } from './read-list.ts';
import { isNewSince, momentOf, watermarkOf, type Moment } from './watermark.ts';

/** How lists are read; from the operator's config. */
export interface ListOptions {
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
  /** Maximum time between an entity's `updated_at` and its appearance in the list. */
  readonly lookbackMs: number;
}

/** Everything that reading lists needs. All lists of a run share it. */
export interface ListsContext {
  readonly api: Pick<ServiceApi, 'fetchPage'>;
  readonly clock: Clock;
  readonly options: ListOptions;
}

/** One page of a feed's list, and the fields to commit with it. */
export interface FeedPage extends Pick<PageRead<Page>, 'page' | 'saturated' | 'hasAdvanced'> {
  /** The watermark; never before the feed's cursor. */
  readonly cursor: Timestamp | undefined;
  /** When the poll began: by the service's clock, or by ours if the answer has no `Date`. */
  readonly beganAt: Timestamp;
  /** True when the poll ends with this page. */
  readonly isLast: boolean;
  /** True when the whole list from the cursor on is this page, of the usual size. */
  readonly isOnly: boolean;
  /** The fields that decide the size of the next poll's pages. */
  readonly size: SizeFields;
}

/**
 * One poll of a feed: reads its list from the cursor on.
 *
 * It ends at the last page, or at a page whose entities all changed since the poll began.
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
    const start = { cursor: feed.cursor, slowTie: feed.wait?.slowTie };
    this.#reader = new ListReader(this.#sourceOf(resource), this.#size, start);
  }

  /**
   * Reads the next page. Must not be called after the last one.
   *
   * @throws ProtocolError when the list cannot be read on by a cursor.
   * @throws PageTooSlowError with the size of the page.
   * @throws PageTooLargeError when one entity is too large for the memory.
   */
  async next(signal: AbortSignal): Promise<FeedPage> {
    const { clock, options } = this.#context;
    this.#signal = signal;
    const isFirst = this.#began === undefined;
    const startedAt = clock.now();
    const { page, times, reached, saturated, hasAdvanced } = await this.#reader.next();
    const began = (this.#began ??= momentOf(page.readAfter, startedAt));
    const read = momentOf(page.readAfter, clock.now());
    const isLast = !page.hasMore || isNewSince(times, began, read);
    this.#saturated = laterOf(this.#saturated, saturated);
    return {
      ...{ page, saturated, hasAdvanced, isLast },
      cursor: laterOf(this.#feed.cursor, watermarkOf(reached, began, options.lookbackMs)),
      beganAt: began.byService,
      isOnly: isFirst && !page.hasMore && this.#feed.pageSize === undefined,
      size: this.#sizeAfter(isLast),
    };
  }

  #sourceOf(resource: Resource): ListSource<Page> {
    const { id } = this.#feed;
    const list = { path: `/${id}`, ...(resource.query && { query: resource.query }) };
    return {
      fetch: async (cursor, perPage) => {
        const request = { ...list, perPage, ...(cursor !== undefined && { lastSyncedAt: cursor }) };
        return omitFields(await this.#context.api.fetchPage(request, this.#signal), resource);
      },
      broken: (reason) =>
        new ProtocolError(`${id}: ${reason}`, {
          hint: "Report it to the service's provider. Nothing is skipped.",
        }),
    };
  }

  /** The saturated timestamp stays until a poll from before it has read the list to its end. */
  #sizeAfter(isLast: boolean): SizeFields {
    const { cursor, saturatedAt } = this.#feed;
    const isPassed = isLast && laterOf(cursor, saturatedAt) === saturatedAt;
    const mark = laterOf(this.#saturated, isPassed ? undefined : saturatedAt);
    const pageSize = this.#size.keptAfter(isLast);
    return {
      ...(pageSize !== undefined && { pageSize }),
      ...(mark !== undefined && { saturatedAt: mark }),
    };
  }
}
