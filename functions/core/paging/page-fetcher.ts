import { locatePage, type PagePosition } from './page-position.ts';
import { PendingPage } from './pending-page.ts';
import { PageTooLargeError } from '../model/errors.ts';
import { feedPath, type Feed } from '../model/feed.ts';
import type { PageReservation, PageBuffer } from './page-buffer.ts';
import type { ServiceApi } from '../ports/service-api.ts';
import type { Resource } from '../model/resource-catalog.ts';
import type { PageHeaders } from '../ports/service-api.ts';
import { type Clock } from '../ports/clock.ts';

/** `Service-Per-Page` at the most (spec, "Limits"). */
const LARGEST_PAGE = 1000;
/** One entity to repeat the last one of the page before, and one that leads on. */
const SMALLEST_PAGE = 2;

/** What asking needs to know of its run. */
export interface AskContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly paging: {
    /** `Service-Per-Page`: 1 to 1000; less where entities are large. */
    readonly perPage: number;
  };
  readonly pageBuffer: PageBuffer;
  /**
   * Names of resources of whose lists one page is asked for at a time: headers have misled, or a page has
   * failed while the next one was read, and both together may be more than the way bears.
   */
  readonly oneAtATime: Set<string>;
}

/** An answer, and the room that its body takes. */
export interface FetchedPage {
  readonly answer: PagePosition;
  /** To be released when the answer is done with. */
  readonly reservation: PageReservation;
}

/**
 * `last_synced_at` of the request that follows a page, by the page's headers; undefined when they do not
 * tell it.
 */
export type NextByHead = (headers: PageHeaders) => string | undefined;

/**
 * Asks for the pages of one list: for fewer entities at a time where they are large, and for the next
 * page as soon as the headers of the one before tell where it starts. Its body may be long on its way
 * while the service could work already. What was asked for early is used if it is what is asked for in
 * the end, and dropped if not, or if the page before it has to be read once more; see
 * {@link AskContext.oneAtATime}.
 */
export class PageFetcher {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: AskContext;
  /** How many entities fit into a page, by what the last answer showed. */
  #maxEntities: number;
  /** `Service-Per-Page` of the last request whose answer was waited for. */
  #perPage = 0;
  /** That of the next one, if the last page was too small to lead on. */
  #grownTo: number | undefined;
  /** When the first request was sent, by our clock. */
  #startedAt: number | undefined;
  /** The request after the one that is waited for. */
  #early: PendingPage | undefined;
  /** Nobody waits for the page that is asked for. */
  #isLeft = false;

  constructor(resource: Resource, feed: Feed, context: AskContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#maxEntities = Math.max(SMALLEST_PAGE, context.pageBuffer.maxEntities(resource.name));
  }

  /** Time since the first request, in milliseconds. */
  get elapsedMs(): number {
    return this.#context.clock.now() - (this.#startedAt ?? 0);
  }

  /**
   * Asks for a page, and for a smaller one if it is too large for the memory.
   *
   * @param nextByHead given when the page after it is wanted, too.
   */
  async fetch(
    requestedCursor: string | undefined,
    signal: AbortSignal,
    nextByHead?: NextByHead,
  ): Promise<FetchedPage> {
    for (;;) {
      const asked =
        this.#takeEarly(requestedCursor) ?? this.#send(requestedCursor, this.#grownTo, signal);
      const { reservation } = asked;
      this.#perPage = asked.perPage;
      asked.listen({
        onHead: (headers) => {
          if (nextByHead !== undefined) this.#askEarly(headers, reservation, nextByHead, signal);
        },
        onFailure: () => {
          if (this.#early !== undefined) this.#context.oneAtATime.add(this.#resource.name);
          this.#dropEarly();
        },
      });
      try {
        const answer = await asked.answer;
        this.#maxEntities = Math.max(SMALLEST_PAGE, reservation.recordSize());
        return { answer, reservation };
      } catch (error) {
        this.#dropEarly();
        reservation.release();
        if (!(error instanceof PageTooLargeError)) throw error;
        // Half at the most: a service may show more than it is asked for.
        const fewer = Math.min(reservation.recordSize(), Math.floor(this.#perPage / 2));
        this.#maxEntities = Math.max(SMALLEST_PAGE, fewer);
      }
    }
  }

  /** Pages are wanted again. */
  resume(): void {
    this.#isLeft = false;
  }

  /** Drops what was asked for early, and asks for nothing more so until {@link resume}. */
  cancel(): void {
    this.#isLeft = true;
    this.#dropEarly();
  }

  /**
   * Makes the next page as large as there is; where memory is short twice as large as the last one, in
   * memory alone if need be.
   *
   * @returns false when it was the largest already.
   */
  grow(): boolean {
    if (this.#perPage >= LARGEST_PAGE) return false;
    this.#grownTo = Math.min(LARGEST_PAGE, Math.max(2 * this.#perPage, this.#maxEntities));
    return true;
  }

  /** Makes the next page as large as usual. */
  shrink(): void {
    this.#grownTo = undefined;
  }

  /** What was asked for early, if it is that. If not, its room is given back before any other is asked for. */
  #takeEarly(requestedCursor: string | undefined): PendingPage | undefined {
    const early = this.#early;
    if (early?.requestedCursor !== requestedCursor) {
      this.#dropEarly();
      return undefined;
    }
    this.#early = undefined;
    return early;
  }

  #dropEarly(): void {
    this.#early?.cancel();
    this.#early = undefined;
  }

  #askEarly(
    headers: PageHeaders,
    reservation: PageReservation,
    nextByHead: NextByHead,
    signal: AbortSignal,
  ): void {
    if (this.#isLeft || this.#context.oneAtATime.has(this.#resource.name)) return;
    if (headers.bytes !== undefined)
      this.#maxEntities = Math.max(SMALLEST_PAGE, reservation.recordSize());
    // What may not fit into the memory would be asked for in vain, and what follows it as well.
    else if (!this.#isKnownToFit()) return;
    const requestedCursor = nextByHead(headers);
    if (requestedCursor !== undefined) this.#early = this.#send(requestedCursor, undefined, signal);
  }

  /** Whether pages of the usual size fit into the memory, by what lists of the name have shown. */
  #isKnownToFit(): boolean {
    const { paging, pageBuffer } = this.#context;
    const maxEntities = pageBuffer.maxEntities(this.#resource.name);
    return maxEntities >= paging.perPage && maxEntities < Infinity;
  }

  #send(
    requestedCursor: string | undefined,
    grownTo: number | undefined,
    signal: AbortSignal,
  ): PendingPage {
    const { paging, pageBuffer } = this.#context;
    const perPage = grownTo ?? Math.min(paging.perPage, this.#maxEntities);
    // What is smaller would not lead on.
    const isNeeded = grownTo !== undefined || perPage <= SMALLEST_PAGE;
    const reservation = pageBuffer.reserve(this.#resource.name, perPage, isNeeded);
    return new PendingPage({ requestedCursor, perPage }, reservation, signal, (asked, signal) =>
      this.#fetch(asked, signal),
    );
  }

  async #fetch(asked: PendingPage, signal: AbortSignal): Promise<PagePosition> {
    const { api, clock } = this.#context;
    const { query } = this.#resource;
    const { requestedCursor, perPage } = asked;
    this.#startedAt ??= clock.now();
    const page = await api.fetchPage(
      {
        path: feedPath(this.#resource, this.#feed.projectId),
        ...(query && { query }),
        ...(requestedCursor !== undefined && { lastSyncedAt: requestedCursor }),
        perPage,
        reservation: asked,
      },
      signal,
    );
    return locatePage(page, requestedCursor);
  }
}
