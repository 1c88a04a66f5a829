import {
  FeedError,
  PageTooLargeError,
  PageTooSlowError,
  RateLimitedError,
  ServiceError,
} from '../model/errors.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import { omitFields } from '../model/omit-fields.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { isBeforeAll } from '../model/timestamp.ts';
import type { PageReservation } from './page-buffer.ts';
import { locatePage, type PagePosition } from './page-position.ts';
import { PageGrowth } from './page-size/page-growth.ts';
import { MIN_PER_PAGE, PageLimit } from './page-size/page-limit.ts';
import type { PagingContext } from './paging-context.ts';

/** The poll fails after this many pages in a row that were too slow. */
const MAX_SLOW_PAGES = 4;
/** Polls that fail before a larger page that is too slow is given up, and a tie stepped over. */
const MIN_FAILED_POLLS_TO_GIVE_UP = 2;

/** A page, its position in the list, and the memory that its body takes. */
export interface FetchedPage extends PagePosition {
  /** Release it once the page is committed or dropped. */
  readonly reservation: PageReservation;
  /** True when a larger page, since the list has advanced, was too slow. */
  readonly isSlowed: boolean;
}

/**
 * Fetches the pages of one list, with fewer entities a page where entities are large or the service is
 * slow.
 *
 * Handles: bodies too large for the memory · pages too slow for one attempt (see {@link PageLimit}) ·
 * pages too small to advance (see {@link grow}).
 */
export class PageFetcher {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: PagingContext;
  /** How many entities fit into a page, judged by the last page. */
  #maxEntities: number;
  readonly #limit: PageLimit;
  /** `Service-Per-Page` of the last request. */
  #perPage = 0;
  /** The search for a larger page, if the last one was too small to advance. */
  readonly #growth = new PageGrowth();
  /** Pages that were too slow since the list has advanced. */
  #slowPages: PageTooSlowError[] = [];
  #hasNews = false;
  #sinceStart: (() => number) | undefined;

  constructor(resource: Resource, feed: Feed, context: PagingContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#maxEntities = Math.max(MIN_PER_PAGE, context.pageBuffer.maxEntities(resource.name));
    this.#limit = new PageLimit(context.options.perPage, this.#slowPollCount);
  }

  /** Time since the first request. */
  get elapsedMs(): number {
    return this.#sinceStart?.() ?? 0;
  }

  /**
   * Fetches a page, and retries with a smaller one if the page is too large for the memory or too slow.
   *
   * @throws FeedError when a page that cannot be smaller is too large.
   * @throws ServiceError that says so when the service refuses a cursor finer than milliseconds.
   * @throws PageTooSlowError when the smaller pages were too slow, too, or the signal is aborted meanwhile, or a
   *   smaller one failed or could not be requested: the feed must fail then, so that its next poll starts with a smaller page.
   */
  async fetch(requestedCursor: string | undefined, signal: AbortSignal): Promise<FetchedPage> {
    const { serviceTime, clock } = this.#context;
    for (;;) {
      const reservation = this.#reserve();
      const requestedAt = clock.now();
      const { lastDate } = serviceTime;
      try {
        const answer = await this.#request(requestedCursor, reservation, signal);
        const page = serviceTime.date(omitFields(answer, this.#resource), lastDate, requestedAt);
        this.#maxEntities = Math.max(MIN_PER_PAGE, reservation.recordSize());
        if (this.#growth.perPage === undefined) this.#limit.grow(clock.now() - requestedAt);
        const isSlowed = this.#slowPages.length > 0;
        return { ...locatePage(page, requestedCursor, serviceTime), reservation, isSlowed };
      } catch (error) {
        reservation.release();
        if (error instanceof PageTooLargeError) {
          if (this.#isGrown && this.#growth.shrink(this.#perPage)) continue;
          if (reservation.limit.isNeeded)
            throw this.#tooLargeError(reservation.limit.maxBytes, error);
          // At most half: a service may show more entities than requested.
          const fewer = Math.min(reservation.recordSize(), Math.floor(this.#perPage / 2));
          this.#maxEntities = Math.max(MIN_PER_PAGE, fewer);
        } else {
          if (isCursorRefused(error, requestedCursor)) {
            throw this.#cursorRefusedError(error, requestedCursor);
          }
          if (error instanceof PageTooSlowError) this.#slowPages.push(error);
          const slow = this.#slowPages.at(-1);
          // Else the next poll would begin with the largest page again.
          if (slow !== undefined && (signal.aborted || isOtherFailure(error)))
            throw slowError(slow, error);
          if (!(error instanceof PageTooSlowError) || !this.#canShrink) throw error;
          this.#limit.shrink(this.#perPage, clock.now() - requestedAt);
          this.#boundGrowth();
        }
      }
    }
  }

  get #slowPollCount(): number {
    return this.#feed.slowPolls ?? 0;
  }

  /**
   * Polls in a row that failed since pages were too slow. Those that failed in an outage of the service, or before the
   * list brought news, say nothing of a tie.
   */
  get #failedPollCount(): number {
    return this.#hasNews ? 0 : (this.#feed.slowFailures ?? 0);
  }

  /** Whether a smaller page may be requested after one that was too slow. */
  get #canShrink(): boolean {
    // The page of the usual size did not advance. Only a lasting slowness may hide a part of a tie.
    if (this.#isGrown)
      return !this.#growth.isGivenUp && this.#failedPollCount >= MIN_FAILED_POLLS_TO_GIVE_UP;
    return this.#perPage > MIN_PER_PAGE && this.#slowPages.length < MAX_SLOW_PAGES;
  }

  get #isGrown(): boolean {
    return this.#growth.perPage !== undefined;
  }

  /**
   * Tries a page between the one that was too slow and the last that did not advance: fewer with each poll that failed
   * so, since the time of a run may end before one is fast enough. After that larger pages are given up.
   */
  #boundGrowth(): void {
    const failedCount = this.#failedPollCount - MIN_FAILED_POLLS_TO_GIVE_UP;
    // The next poll may be faster.
    if (failedCount < 0) return;
    const canSearch = this.#slowPages.length + failedCount < MAX_SLOW_PAGES;
    if (!this.#isGrown) this.#growth.limit(this.#perPage);
    else if (!canSearch || !this.#growth.shrink(this.#perPage)) this.#growth.giveUp();
  }

  /**
   * Requests the next page at maximum size, or at twice the last size where memory is short or pages are
   * slow, and then between two sizes. Such a page may exceed the memory budget if it is the only one, up to a
   * maximum.
   *
   * @returns false when the last page had the maximum size, or larger ones are too slow.
   */
  grow(): boolean {
    const fitting = Math.min(this.#maxEntities, this.#limit.entities);
    const double = 2 * this.#perPage;
    const next = this.#slowPollCount > 0 ? double : Math.max(double, fitting);
    return this.#growth.grow(this.#perPage, next);
  }

  /** Notes that a page brought news: polls that failed before it say nothing of a tie behind it. */
  noteNews(): void {
    this.#hasNews = true;
  }

  /** Requests the next page at its usual size, since the list has advanced. */
  shrink(): void {
    this.#growth.end();
    this.#slowPages = [];
  }

  /** Requests the next page at the size of the last one, since the list may have advanced. */
  keepSize(): void {
    this.#growth.keep();
    this.#slowPages = [];
  }

  #reserve(): PageReservation {
    const { options, pageBuffer } = this.#context;
    const usual = Math.min(options.perPage, this.#maxEntities, this.#limit.entities);
    this.#perPage =
      this.#growth.perPage ?? Math.max(Math.min(options.perPage, MIN_PER_PAGE), usual);
    // A smaller page would not advance.
    const isNeeded = this.#isGrown || this.#perPage <= MIN_PER_PAGE;
    return pageBuffer.reserve(this.#resource.name, this.#perPage, isNeeded);
  }

  #tooLargeError(maxBytes: number, { size }: PageTooLargeError): FeedError {
    return new FeedError(
      `${this.#feed.id}: a page of ${size} for ${this.#perPage} entities exceeds ${maxBytes} bytes, the most that memory holds; a smaller one would not advance`,
      {
        hint: 'Raise memoryMb, or make entities smaller.',
      },
    );
  }

  #cursorRefusedError(cause: ServiceError, requestedCursor = ''): ServiceError {
    return new ServiceError(
      `${this.#feed.id}: the service refuses last_synced_at ${requestedCursor}, which is finer than milliseconds: ${cause.message}`,
      {
        ...(cause.status !== undefined && { status: cause.status }),
        hint: "Ask the service's provider to accept such cursors, or change some entities that share this updated_at.",
        cause,
      },
    );
  }

  #request(requestedCursor: string | undefined, reservation: PageReservation, signal: AbortSignal) {
    const { api, clock } = this.#context;
    const { query } = this.#resource;
    this.#sinceStart ??= clock.stopwatch();
    return api.fetchPage(
      {
        path: feedPath(this.#resource, this.#feed.projectId),
        ...(query && { query }),
        ...(requestedCursor !== undefined &&
          !isBeforeAll(requestedCursor) && { lastSyncedAt: requestedCursor }),
        perPage: this.#perPage,
        reservation,
      },
      signal,
    );
  }
}

/** Whether a request failed, or could not be sent, for another reason than that its page was too slow. */
function isOtherFailure(error: unknown): boolean {
  if (error instanceof RateLimitedError) return true;
  return error instanceof FeedError && !(error instanceof PageTooSlowError);
}

/** The error of a slow page, with the wait that the service asked for in its answer to a smaller one. */
function slowError(slow: PageTooSlowError, last: unknown): PageTooSlowError {
  if (!(last instanceof FeedError) || last === slow) return slow;
  const { message, hint } = slow;
  const retryAfterMs = last instanceof ServiceError ? last.retryAfterMs : 0;
  return new PageTooSlowError(`${message}; then ${last.message}`, {
    hint,
    retryAfterMs,
    cause: last,
  });
}

/** Whether the service does not take a request whose cursor is finer than milliseconds. */
function isCursorRefused(error: unknown, cursor = ''): error is ServiceError {
  const isRefused = error instanceof ServiceError && (error.status === 400 || error.status === 422);
  return isRefused && /\.\d{4}/.test(cursor);
}
