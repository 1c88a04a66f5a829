import { ProtocolError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { earlierOf, isAfter, laterOf, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import { startAfter } from './cursor-filter.ts';
import type { PageReservation } from './page-buffer.ts';
import { PageFetcher, type FetchedPage } from './page-fetcher.ts';
import { lastPageCoverage, type Coverage, type PagePosition } from './page-position.ts';
import type { PagingContext } from './paging-context.ts';
import { Watermark } from './watermark.ts';

/** One page of a feed's list, and the cursor to commit after it. */
export interface FeedPage {
  readonly page: Page;
  /** Release it once the page is committed or dropped. */
  readonly reservation: PageReservation;
  /** `last_synced_at` as it was sent; undefined on the first request of a feed's life. */
  readonly requestedCursor: string | undefined;
  /**
   * The cursor to commit once the page is processed: a paginator that starts there misses nothing.
   * Never before the feed's cursor.
   */
  readonly cursor: Timestamp | undefined;
  /**
   * The cursor to commit instead if this is the last page and it brought news: the lookback behind the
   * page's own timestamps, too. The clock behind `Date` may be ahead of the one behind `updated_at`,
   * and a list that is changing may have more late commits.
   */
  readonly lookbackCursor: Timestamp | undefined;
  /** True when `X-Has-More` was false (spec, "Pagination rules", 4). */
  readonly isLast: boolean;
  /** True when the list has ended and the cursor is at its end. */
  readonly isCaughtUp: boolean;
  /** A timestamp that more entities share than the largest page holds: some may stay unseen. */
  readonly saturated: Timestamp | undefined;
}

/** A list that continues after this many empty pages in a row is treated as a loop. */
const MAX_EMPTY_PAGES = 10;

/**
 * Reads one list page by page from its cursor and never skips an entity.
 *
 * Handles:
 * - **Ties at a page's end.** The next request sends the `X-Last-Synced-At` it was given (spec,
 *   "Pagination rules", 3), or the page's last `updated_at` if that is earlier. If no entity of exactly
 *   that time is in the answer, the filter may hide some: the request is repeated one millisecond
 *   earlier, and all later requests of the run start one millisecond earlier.
 * - **More entities at one timestamp than a page holds.** The page grows to the maximum. If that does
 *   not help, the timestamp is stepped over and reported.
 * - **Late commits.** See {@link Watermark}.
 * - **Cursors that are absent, stand still, go back or run ahead.** The page's own timestamps decide,
 *   too. Neither an empty page nor an entity dated in the future moves the cursor.
 *
 * Guarantees 1 and 9 in docs/guarantees.md. Memory is bounded by {@link PageBuffer}.
 */
export class Paginator {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: PagingContext;
  readonly #fetcher: PageFetcher;
  readonly #watermark: Watermark;
  /** `last_synced_at` of the next request. */
  #next: string | undefined;
  /** Start of a repeated request, if the next page shows no entity of exactly the requested time. */
  #fallbackCursor: Timestamp | undefined;
  #emptyPageCount = 0;
  #cursor: Timestamp | undefined;

  constructor(resource: Resource, feed: Feed, context: PagingContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#watermark = new Watermark(context.options.lookbackMs);
    this.#next = feed.cursor && this.#startFrom(feed.cursor);
    this.#cursor = feed.cursor;
    this.#fetcher = new PageFetcher(resource, feed, context);
  }

  /**
   * Reads the next page. Must not be called after the last one.
   *
   * @throws ProtocolError when the service says there is more, but no cursor advances. Continuing would
   *   never end, and stepping over would skip entities.
   */
  async next(signal: AbortSignal): Promise<FeedPage> {
    const fetched = await this.#fetchNext(signal);
    try {
      return this.#accept(fetched);
    } catch (error) {
      fetched.reservation.release();
      throw error;
    }
  }

  /** Fetches the next page, a second time from the fallback cursor if the filter may hide a tie. */
  async #fetchNext(signal: AbortSignal): Promise<FetchedPage> {
    const { filters } = this.#context;
    const fetched = await this.#fetcher.fetch(this.#next, signal);
    const isInclusive = fetched.times.some((time) => time === fetched.from);
    if (isInclusive) filters.set(this.#resource.name, 'inclusive');
    if (this.#fallbackCursor === undefined || isInclusive) return fetched;
    filters.set(this.#resource.name, 'exclusive');
    this.#next = this.#fallbackCursor;
    // Before the second request waits for memory: it may need this page's.
    fetched.reservation.release();
    return this.#fetcher.fetch(this.#next, signal);
  }

  /** A cursor that was committed with a smaller lookback is too late for a larger one. */
  #startFrom(cursor: Timestamp): Timestamp {
    const missingMs = this.#context.options.lookbackMs - (this.#feed.lookbackMs ?? 0);
    return missingMs > 0 ? shiftTimestamp(cursor, -missingMs) : cursor;
  }

  /** Decides where the next request starts, and moves the cursor as far as the list is complete. */
  #accept(fetched: FetchedPage): FeedPage {
    const { page, reservation, requestedCursor, largest, isEmpty } = fetched;
    const isLast = !page.hasMore;
    this.#fallbackCursor = undefined;
    const { coveredUntil, saturated } = isLast
      ? lastPageCoverage(fetched, this.#cursor)
      : this.#advance(fetched);
    const start = this.#cursor;
    let lookbackCursor = start;
    if (coveredUntil !== undefined) {
      const { readAfter } = page;
      const { elapsedMs } = this.#fetcher;
      const watermark = this.#watermark.observe({ readAfter, coveredUntil, largest, elapsedMs });
      if (!isEmpty) {
        this.#cursor = laterOf(start, watermark);
        const byOwnTimes = shiftTimestamp(coveredUntil, -this.#context.options.lookbackMs);
        lookbackCursor = laterOf(start, earlierOf(watermark, byOwnTimes));
      }
    }
    return {
      page,
      reservation,
      requestedCursor,
      cursor: this.#cursor,
      lookbackCursor,
      isLast,
      isCaughtUp: isLast && coveredUntil !== undefined && coveredUntil === this.#cursor,
      saturated,
    };
  }

  #advance(position: PagePosition): Coverage {
    const { page, from, header, largest, isEmpty } = position;
    this.#emptyPageCount = isEmpty ? this.#emptyPageCount + 1 : 0;
    if (this.#emptyPageCount === MAX_EMPTY_PAGES) throw this.#stalledError(position);
    // Entities are more reliable than headers: a larger page may show one with a timestamp.
    if (largest === undefined && !isEmpty && this.#fetcher.grow())
      return { coveredUntil: undefined };
    const earlier = earlierOf(header, largest);
    if (earlier === undefined) throw this.#stalledError(position);
    const filter = isEmpty ? 'exclusive' : this.#context.filters.get(this.#resource.name);
    // The page's own timestamps replace a header that is behind and does not advance.
    const end = isAfter(startAfter(earlier, filter), from) ? earlier : (largest ?? earlier);
    const next = startAfter(end, filter);
    if (!isAfter(next, from)) return this.#stepOverTimestamp(position, end);
    // The page may cut a tie: it is complete only before its end.
    const coveredUntil = shiftTimestamp(end, -1);
    if (filter === undefined) this.#fallbackCursor = laterOf(coveredUntil, from);
    this.#goTo(next === header ? page.lastSyncedAt : next);
    return { coveredUntil };
  }

  /** Makes progress when the next request would repeat the last one. */
  #stepOverTimestamp(position: PagePosition, end: Timestamp): Coverage {
    const { page, from, isEmpty } = position;
    if (!isEmpty && this.#fetcher.grow()) return { coveredUntil: shiftTimestamp(end, -1) };
    if (isEmpty) this.#goTo(page.lastSyncedAt);
    else if (isAfter(end, from)) this.#goTo(end);
    else if (end === from) this.#goTo(shiftTimestamp(end, 1));
    else throw this.#stalledError(position);
    return isEmpty ? { coveredUntil: end } : { coveredUntil: end, saturated: end };
  }

  #goTo(next: string | undefined): void {
    this.#next = next;
    this.#fetcher.shrink();
  }

  #stalledError({ page, requestedCursor }: PagePosition): ProtocolError {
    return new ProtocolError(
      `${this.#feed.id}: the list does not go on after last_synced_at ` +
        `${requestedCursor ?? '(none)'}: X-Has-More is true, but X-Last-Synced-At is ` +
        `${page.lastSyncedAt ?? '(none)'} with ${page.entities.length} entities`,
      {
        hint: 'Ask the provider of the service if it repeats. Nothing is skipped; the feed is retried.',
      },
    );
  }
}
