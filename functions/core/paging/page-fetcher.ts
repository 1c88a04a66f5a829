import { FeedError, PageTooLargeError } from '../model/errors.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { PageReservation } from './page-buffer.ts';
import { locatePage, type PagePosition } from './page-position.ts';
import type { PagingContext } from './paging-context.ts';

/** Maximum `Service-Per-Page` (spec, "Limits"). */
const MAX_PER_PAGE = 1000;
/** One entity repeats the end of the previous page, the other advances the cursor. */
const MIN_PER_PAGE = 2;

/** A page, its position in the list, and the memory that its body takes. */
export interface FetchedPage extends PagePosition {
  /** Release it once the page is committed or dropped. */
  readonly reservation: PageReservation;
}

/**
 * Fetches the pages of one list, with fewer entities a page where entities are large.
 *
 * Handles: bodies too large for the memory · pages too small to advance (see {@link grow}).
 */
export class PageFetcher {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: PagingContext;
  /** How many entities fit into a page, judged by the last page. */
  #maxEntities: number;
  /** `Service-Per-Page` of the last request. */
  #perPage = 0;
  /** `Service-Per-Page` of the next request, if the last page was too small to advance. */
  #grownTo: number | undefined;
  #startedAt: number | undefined;

  constructor(resource: Resource, feed: Feed, context: PagingContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#maxEntities = Math.max(MIN_PER_PAGE, context.pageBuffer.maxEntities(resource.name));
  }

  /** Time since the first request, by our clock. */
  get elapsedMs(): number {
    return this.#context.clock.now() - (this.#startedAt ?? 0);
  }

  /**
   * Fetches a page, and retries with a smaller one if the page is too large for the memory.
   *
   * @throws FeedError when a page that cannot be smaller is too large.
   */
  async fetch(requestedCursor: string | undefined, signal: AbortSignal): Promise<FetchedPage> {
    for (;;) {
      const reservation = this.#reserve();
      try {
        const page = await this.#request(requestedCursor, reservation, signal);
        this.#maxEntities = Math.max(MIN_PER_PAGE, reservation.recordSize());
        return { ...locatePage(page, requestedCursor), reservation };
      } catch (error) {
        reservation.release();
        if (!(error instanceof PageTooLargeError)) throw error;
        if (reservation.limit.isNeeded) throw this.#tooLargeError(reservation.limit.maxBytes);
        // At most half: a service may show more entities than requested.
        const fewer = Math.min(reservation.recordSize(), Math.floor(this.#perPage / 2));
        this.#maxEntities = Math.max(MIN_PER_PAGE, fewer);
      }
    }
  }

  /**
   * Requests the next page at maximum size, or at twice the last size where memory is short. Such a
   * page may exceed the memory budget if it is the only one, up to a maximum.
   *
   * @returns false when the last page had the maximum size.
   */
  grow(): boolean {
    if (this.#perPage >= MAX_PER_PAGE) return false;
    this.#grownTo = Math.min(MAX_PER_PAGE, Math.max(2 * this.#perPage, this.#maxEntities));
    return true;
  }

  /** Requests the next page at its usual size. */
  shrink(): void {
    this.#grownTo = undefined;
  }

  #reserve(): PageReservation {
    const { options, pageBuffer } = this.#context;
    this.#perPage = this.#grownTo ?? Math.min(options.perPage, this.#maxEntities);
    // A smaller page would not advance.
    const isNeeded = this.#grownTo !== undefined || this.#perPage <= MIN_PER_PAGE;
    return pageBuffer.reserve(this.#resource.name, this.#perPage, isNeeded);
  }

  #tooLargeError(maxBytes: number): FeedError {
    return new FeedError(
      `${this.#feed.id}: a page of ${this.#perPage} entities exceeds ${maxBytes} bytes, the most that the memory holds, and a smaller page would not advance`,
      {
        hint: 'Raise memoryMb, or make the entities smaller. The feed is retried from its cursor.',
      },
    );
  }

  #request(requestedCursor: string | undefined, reservation: PageReservation, signal: AbortSignal) {
    const { api, clock } = this.#context;
    const { query } = this.#resource;
    this.#startedAt ??= clock.now();
    return api.fetchPage(
      {
        path: feedPath(this.#resource, this.#feed.projectId),
        ...(query && { query }),
        ...(requestedCursor !== undefined && { lastSyncedAt: requestedCursor }),
        perPage: this.#perPage,
        reservation,
      },
      signal,
    );
  }
}
