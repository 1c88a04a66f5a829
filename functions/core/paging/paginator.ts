import { endOfList, type PagePosition, type Coverage } from './page-position.ts';
import { PageFetcher, type FetchedPage, type AskContext } from './page-fetcher.ts';
import { ProtocolError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import { startAfter, type CursorFilters } from './cursor-filter.ts';
import { Watermark } from './watermark.ts';
import type { PageReservation } from './page-buffer.ts';
import type { Page } from '../ports/service-api.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { PageHeaders } from '../ports/service-api.ts';
import {
  earlierOf,
  isAfter,
  laterOf,
  parseTimestamp,
  shiftTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';

/** One page of a walk. */
export interface FeedPage {
  readonly page: Page;
  /** To be released when the page is committed or left. */
  readonly reservation: PageReservation;
  /** `last_synced_at` that was sent; absent on the first request of a feed's life. */
  readonly requestedCursor?: string;
  /**
   * The cursor to commit once the page is worked: a walk that starts there misses nothing. Never
   * before the cursor that the walk started from.
   */
  readonly cursor?: Timestamp;
  /**
   * The cursor to commit instead when this is the last page and it brought news: less the overlap
   * from its own timestamps, too. The clock behind `Date` may be ahead of the one behind
   * `updated_at`, and where something is going on, more of it may be late.
   */
  readonly lookbackCursor?: Timestamp;
  /** True when `X-Has-More` was false (spec, "Pagination rules", 4). */
  readonly isLast: boolean;
  /** True when the list has ended and all of it is final: the cursor is at its end. */
  readonly isCaughtUp: boolean;
  /** A timestamp that more entities share than the largest page shows: some may stay unseen. */
  readonly saturated?: Timestamp;
}

/** How to walk. */
export interface PagingOptions {
  /** `Service-Per-Page`: 1 to 1000; less where entities are large. */
  readonly perPage: number;
  /** How much later than its `updated_at` an entity may become visible, in milliseconds. */
  readonly lookbackMs: number;
}

/** What walks work with. */
export interface PagingContext extends AskContext {
  readonly paging: PagingOptions;
  readonly filters: CursorFilters;
}

/** So many pages without an entity, each with more to come, are no list but a loop. */
const MOST_EMPTY_PAGES = 10;

/**
 * Walks a list from the feed's cursor to its end, page by page, and misses nothing, whatever the
 * service does with equal timestamps, late commits and its own cursors:
 *
 * - **Ties.** The follow-up request sends the `X-Last-Synced-At` it was given (spec, "Pagination
 *   rules", 3), or the page's last `updated_at` where that is earlier. If the answer shows nothing of
 *   exactly that time, the filter may hide what shares it: it is asked again one millisecond earlier,
 *   and from then on at once.
 * - **More entities at one timestamp than a page holds.** Where the next request would be the same
 *   once more, the page grows to the largest there is. Where that does not help, the walk steps over
 *   the timestamp and says so. It never loops, and never skips in silence.
 * - **Large entities.** Fewer are asked for at a time, so that pages of several lists fit into memory,
 *   see {@link PageBuffer}.
 * - **Late commits.** The cursor to commit stays where the list is final, see {@link Watermark}.
 * - **Cursors that stand still, go back, run ahead or are absent.** The page's own timestamps decide
 *   too. An empty page never moves the cursor, nor does an entity with a date to come.
 */
export class Paginator {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: PagingContext;
  readonly #fetcher: PageFetcher;
  readonly #watermark: Watermark;
  /** `last_synced_at` of the next request. */
  #next: string | undefined;
  /** Where to ask again if the next answer shows nothing of exactly the time that is sent. */
  #fallbackCursor: Timestamp | undefined;
  #emptyPages = 0;
  #cursor: Timestamp | undefined;

  constructor(resource: Resource, feed: Feed, context: PagingContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#watermark = new Watermark(context.paging.lookbackMs);
    this.#next = feed.cursor && this.#startFrom(feed.cursor);
    this.#cursor = feed.cursor;
    this.#fetcher = new PageFetcher(resource, feed, context);
  }

  /**
   * The next page. Not to be called again after the last one.
   *
   * @param isFollowed whether the page after it is going to be wanted, too: it may be asked for early.
   * @throws ProtocolError when there is said to be more, but no way leads on: going on would never
   *   end, and stepping over it would skip what it hides.
   */
  async next(signal: AbortSignal, isFollowed = false): Promise<FeedPage> {
    this.#fetcher.resume();
    const { answer, reservation } = await this.#answer(signal, isFollowed);
    try {
      return { ...this.#takeIn(answer), reservation };
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** The answer to go on from: if the first one may hide what shares its time, that to the second. */
  async #answer(signal: AbortSignal, isFollowed: boolean): Promise<FetchedPage> {
    const { filters } = this.#context;
    // A page that tells the filter may have to be asked for otherwise: what follows it is not known.
    const isSure = isFollowed && this.#fallbackCursor === undefined;
    const nextByHead = isSure ? (headers: PageHeaders) => this.#nextByHead(headers) : undefined;
    const answered = await this.#fetcher.fetch(this.#next, signal, nextByHead);
    const { from, times } = answered.answer;
    const isInclusive = times.some((time) => time === from);
    if (isInclusive) filters.set(this.#resource.name, 'inclusive');
    if (this.#fallbackCursor === undefined || isInclusive) return answered;
    filters.set(this.#resource.name, 'exclusive');
    this.#next = this.#fallbackCursor;
    // Before the next one waits for room: it may be that of this one.
    answered.reservation.release();
    return this.#fetcher.fetch(this.#next, signal);
  }

  /** Gives up what was asked for early. */
  cancel(): void {
    this.#fetcher.cancel();
  }

  /** A cursor that was committed with a smaller overlap is not final for a larger one. */
  #startFrom(cursor: Timestamp): Timestamp {
    const missingMs = this.#context.paging.lookbackMs - (this.#feed.lookbackMs ?? 0);
    return missingMs > 0 ? shiftTimestamp(cursor, -missingMs) : cursor;
  }

  #takeIn(answer: PagePosition): Omit<FeedPage, 'reservation'> {
    const { page, requestedCursor, largest, isEmpty } = answer;
    const isLast = !page.hasMore;
    this.#fallbackCursor = undefined;
    const { coveredUntil, saturated } = isLast
      ? endOfList(answer, this.#cursor)
      : this.#goOn(answer);
    const start = this.#cursor;
    let cautious = start;
    if (coveredUntil !== undefined) {
      const elapsedMs = this.#fetcher.elapsedMs;
      const final = this.#watermark.observe({
        readAfter: page.readAfter,
        coveredUntil,
        largest,
        elapsedMs,
      });
      if (!isEmpty) {
        this.#cursor = laterOf(start, final);
        const byOwnTimes = shiftTimestamp(coveredUntil, -this.#context.paging.lookbackMs);
        cautious = laterOf(start, earlierOf(final, byOwnTimes));
      }
    }
    return {
      page,
      ...(requestedCursor !== undefined && { requestedCursor }),
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
      ...(cautious !== undefined && { lookbackCursor: cautious }),
      isLast,
      isCaughtUp: isLast && coveredUntil !== undefined && coveredUntil === this.#cursor,
      ...(saturated !== undefined && { saturated }),
    };
  }

  /** Decides where the next request starts, and tells how far this page reaches. */
  #goOn(answer: PagePosition): Coverage {
    const { page, from, header, largest, isEmpty } = answer;
    const end = earlierOf(header, largest);
    this.#emptyPages = isEmpty ? this.#emptyPages + 1 : 0;
    if (this.#emptyPages === MOST_EMPTY_PAGES) throw this.#stalledError(answer);
    // What is on a page is surer than what its header says: more of it may tell a time.
    if (largest === undefined && !isEmpty && this.#fetcher.grow())
      return { coveredUntil: undefined };
    if (end === undefined) throw this.#stalledError(answer);
    const isMisled = isEmpty || (header !== undefined && end !== header);
    if (isMisled) this.#context.oneAtATime.add(this.#resource.name);
    const filter = isEmpty ? 'exclusive' : this.#context.filters.get(this.#resource.name);
    // A header that is behind and leads nowhere gives way to what the page shows.
    const at = isAfter(startAfter(end, filter), from) ? end : (largest ?? end);
    const next = startAfter(at, filter);
    if (!isAfter(next, from)) return this.#stepOverTimestamp(answer, at);
    // The page may be cut between entities of one time: only what is before its end is all there.
    const before = shiftTimestamp(at, -1);
    if (filter === undefined) this.#fallbackCursor = laterOf(before, from);
    this.#goTo(next === header ? page.lastSyncedAt : next);
    return { coveredUntil: before };
  }

  /** What {@link #goOn} is going to send, if the page shows what its headers say. */
  #nextByHead({ hasMore, entities, lastSyncedAt }: PageHeaders): string | undefined {
    const header = parseTimestamp(lastSyncedAt);
    if (hasMore !== true || entities === 0 || header === undefined) return undefined;
    const next = startAfter(header, this.#context.filters.get(this.#resource.name));
    if (!isAfter(next, parseTimestamp(this.#next))) return undefined;
    return next === header ? lastSyncedAt : next;
  }

  /** Finds a way on where the next request would be the one that was just made. */
  #stepOverTimestamp(answer: PagePosition, end: Timestamp): Coverage {
    const { page, from, isEmpty } = answer;
    if (!isEmpty && this.#fetcher.grow()) return { coveredUntil: shiftTimestamp(end, -1) };
    if (isEmpty) this.#goTo(page.lastSyncedAt);
    else if (isAfter(end, from)) this.#goTo(end);
    else if (end === from) this.#goTo(shiftTimestamp(end, 1));
    else throw this.#stalledError(answer);
    return isEmpty ? { coveredUntil: end } : { coveredUntil: end, saturated: end };
  }

  #goTo(next: string | undefined): void {
    this.#next = next;
    this.#fetcher.shrink();
  }

  #stalledError({ page, requestedCursor }: PagePosition): ProtocolError {
    return new ProtocolError(
      `${this.#feed.id}: X-Has-More is true, but the list does not go on after last_synced_at ` +
        `${requestedCursor ?? '(none)'}: got X-Last-Synced-At ${page.lastSyncedAt ?? '(none)'} ` +
        `with ${page.entities.length} entities`,
      {
        hint: 'Nothing is skipped; the feed is tried again. If it goes on, ask the provider of the service.',
      },
    );
  }
}
