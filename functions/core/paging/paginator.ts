import type { Entity } from '../model/entity.ts';
import { ProtocolError } from '../model/errors.ts';
import { isProjectsFeed, type Feed } from '../model/feed.ts';
import type { Resource } from '../model/resource-catalog.ts';
import {
  earlierOf,
  isAfter,
  laterOf,
  shiftNanoseconds,
  shiftTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';
import type { FeedPage } from './feed-page.ts';
import { PageFetcher, type FetchedPage } from './page-fetcher.ts';
import { lastPageCoverage, type Coverage, type PagePosition } from './page-position.ts';
import type { PagingContext } from './paging-context.ts';
import { finestUnit, startsBefore, startsBehind, type TimeUnit } from './time-unit.ts';
import { coveredLookback, Watermark } from './watermark.ts';

/** Checks on the next page that no tie was hidden. */
interface TieCheck {
  /**
   * The entities at the end of the page before, from the fallback cursor on: earlier ones cannot be
   * repeated. If one is repeated, so is everything behind it.
   */
  readonly shown: ReadonlySet<string>;
  /** Start of a repeated request otherwise. */
  readonly fallbackCursor: Timestamp;
}

/** Requests for the first page of all, until an answer has a `Date`. */
const MAX_FIRST_TRIES = 3;
/** A list that continues after this many empty pages beyond the present is treated as a loop. */
const MAX_EMPTY_PAGES = 10;
/** An empty page has no tie to look for; its cursor still may name an entity that a filter `>` hides. */
const EMPTY_PAGE_STEP = -1e6;

/**
 * Reads one list page by page from its cursor and never skips an entity.
 *
 * Handles:
 * - **Ties at a page's end.** The next request sends the `X-Last-Synced-At` it was given (spec,
 *   "Pagination rules", 3), or the page's last `updated_at` if that is earlier. If the answer repeats no
 *   entity of the page before, it may hide some: the request is repeated one unit of the list's times
 *   earlier (see {@link TimeUnit}), and all later requests of this paginator start so at once.
 * - **More entities at one timestamp than a page holds.** The page grows to the maximum. If that does
 *   not help, the timestamp is stepped over and reported, and the next one is approached in small steps.
 * - **Late commits.** See {@link Watermark}.
 * - **Cursors that are absent, stand still, go back or run ahead.** The page's own timestamps decide,
 *   too. Neither an empty page nor an entity dated in the future moves the cursor.
 *
 * Guarantees 1 and 9 in docs/guarantees.md. Memory is bounded by {@link PageBuffer}.
 */
export class Paginator {
  readonly #feed: Feed;
  readonly #context: PagingContext;
  readonly #fetcher: PageFetcher;
  readonly #watermark: Watermark;
  /** `last_synced_at` of the next request. */
  #next: string | undefined;
  #tieCheck: TieCheck | undefined;
  /** Whether a request without an earlier start has hidden a tie. */
  #startsEarlier = false;
  /** Finest unit of the times seen. */
  #unit: TimeUnit = 1e9;
  #saturated: Timestamp | undefined;
  #emptyPageCount = 0;
  #cursor: Timestamp | undefined;
  #coveredLookbackMs: number | undefined;

  constructor(resource: Resource, feed: Feed, context: PagingContext) {
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

  /** Notes that a page brought news: polls that failed before it say nothing of what lies behind it. */
  noteNews(): void {
    this.#fetcher.noteNews();
  }

  /** Fetches the next page, a second time from the fallback cursor if it may hide a tie. */
  async #fetchNext(signal: AbortSignal): Promise<FetchedPage> {
    let fetched = await this.#fetcher.fetch(this.#next, signal);
    for (let tries = this.#maxTries; tries > 1 && !fetched.page.readBefore; tries -= 1) {
      fetched.reservation.release();
      fetched = await this.#fetcher.fetch(this.#next, signal);
    }
    const check = this.#tieCheck;
    const isProven =
      check && fetched.page.entities.some((each) => check.shown.has(versionOf(each)));
    if (check === undefined || isProven) return fetched;
    this.#startsEarlier = true;
    this.#next = check.fallbackCursor;
    // Before the second request waits for memory: it may need this page's.
    fetched.reservation.release();
    return this.#fetcher.fetch(this.#next, signal);
  }

  /** The first answer of all tells what is old, if it has a `Date`. */
  get #maxTries(): number {
    const isBaseline = this.#feed.phase === 'baseline';
    const isFirst = isProjectsFeed(this.#feed) && isBaseline && this.#next === undefined;
    return isFirst ? MAX_FIRST_TRIES : 1;
  }

  /** A cursor that was committed with a smaller lookback is too late for a larger one. */
  #startFrom(cursor: Timestamp): Timestamp {
    const missingMs = this.#context.options.lookbackMs - (this.#feed.lookbackMs ?? 0);
    return missingMs > 0 ? shiftTimestamp(cursor, -missingMs) : cursor;
  }

  /** Decides where the next request starts, and moves the cursor as far as the list is complete. */
  #accept(fetched: FetchedPage): FeedPage {
    const { page, reservation, requestedCursor, isSlowed, times, isEmpty } = fetched;
    const { serviceTime, options } = this.#context;
    const isLast = !page.hasMore;
    this.#tieCheck = undefined;
    this.#unit = finestUnit(times, this.#unit);
    const { coveredUntil, saturated } = isLast
      ? lastPageCoverage(fetched, this.#cursor, serviceTime)
      : this.#advance(fetched);
    const start = this.#cursor;
    let lookbackCursor = start;
    const watermark = coveredUntil && this.#observe(fetched, coveredUntil);
    // A last page that is empty may name any time.
    if (watermark !== undefined && !(isEmpty && isLast)) {
      this.#cursor = laterOf(start, watermark);
      this.#coverLookback(watermark);
      const byOwnTimes = shiftTimestamp(coveredUntil ?? watermark, -options.lookbackMs);
      lookbackCursor = laterOf(start, earlierOf(watermark, byOwnTimes));
    }
    // The cursor of a shorter lookback may lie where late commits may still appear.
    const isSafe = coveredUntil !== undefined && coveredUntil === watermark;
    return {
      page,
      reservation,
      requestedCursor,
      cursor: this.#cursor,
      lookbackCursor,
      coveredLookbackMs: this.#coveredLookbackMs,
      hasAdvanced: this.#cursor !== this.#feed.cursor,
      isSlowed,
      isLast,
      isCaughtUp: isLast && isSafe && coveredUntil === this.#cursor,
      saturated,
    };
  }

  /** Notes how much of a longer lookback has been read, see {@link FeedPage.coveredLookbackMs}. */
  #coverLookback(watermark: Timestamp): void {
    const { cursor, lookbackMs = 0 } = this.#feed;
    if (cursor === undefined) return;
    const coveredMs = coveredLookback(cursor, watermark, this.#context.options.lookbackMs);
    if (coveredMs > (this.#coveredLookbackMs ?? lookbackMs)) this.#coveredLookbackMs = coveredMs;
  }

  #observe({ page, largestPast }: FetchedPage, coveredUntil: Timestamp): Timestamp | undefined {
    const isFuture = this.#context.serviceTime.isFuture(coveredUntil, page);
    return this.#watermark.observe({
      readAfter: page.readAfter,
      coveredUntil,
      largest: largestPast ?? (isFuture ? undefined : coveredUntil),
      elapsedMs: this.#fetcher.elapsedMs,
    });
  }

  #advance(position: PagePosition): Coverage {
    const { page, from, header, largest, isEmpty } = position;
    const { serviceTime } = this.#context;
    if (!isEmpty) this.#emptyPageCount = 0;
    // Empty pages that lead on through the past are entities that we may not see. Past by our clock is enough: the service's
    // may be hours behind, or its last known `Date` old.
    else if (from && serviceTime.isFuture(from, page) && serviceTime.isAhead(from, page)) {
      this.#emptyPageCount += 1;
      if (this.#emptyPageCount === MAX_EMPTY_PAGES) throw this.#stalledError(position);
    }
    // Entities are more reliable than headers: a larger page may show one with a timestamp.
    if (largest === undefined && !isEmpty && this.#fetcher.grow())
      return { coveredUntil: undefined };
    const earlier = earlierOf(header, largest);
    if (earlier === undefined) throw this.#stalledError(position);
    const step = isEmpty ? EMPTY_PAGE_STEP : this.#startsEarlier ? -this.#unit : 0;
    // The page's own timestamps replace a header that is behind and does not advance.
    const end = isAfter(shiftNanoseconds(earlier, step), from) ? earlier : (largest ?? earlier);
    const next = shiftNanoseconds(end, step);
    if (!isAfter(next, from)) return this.#stepOverTimestamp(position, end);
    // The page may cut a tie: it is complete only before its end.
    const coveredUntil = shiftNanoseconds(end, -this.#unit);
    if (step === 0) {
      const fallbackCursor = laterOf(coveredUntil, from) ?? coveredUntil;
      const atEnd = page.entities.filter((_, i) => !isAfter(fallbackCursor, position.times[i]));
      this.#tieCheck = { shown: new Set(atEnd.map(versionOf)), fallbackCursor };
    }
    this.#goTo(next === header ? page.lastSyncedAt : next);
    return { coveredUntil };
  }

  /** Makes progress when the next request would repeat the last one. */
  #stepOverTimestamp(position: PagePosition, end: Timestamp): Coverage {
    const { page, from, times, isEmpty } = position;
    if (isEmpty) {
      this.#goTo(page.lastSyncedAt);
      return { coveredUntil: end };
    }
    const beforeEnd = shiftNanoseconds(end, -this.#unit);
    const isSaturated = times.every((time) => time === end);
    const isKnown = isSaturated && this.#saturated === end;
    // Each step would search a larger page in vain again: the run could end before the last one.
    if (!isKnown && this.#fetcher.grow()) return { coveredUntil: beforeEnd };
    const starts = isSaturated ? startsBehind(end) : startsBefore(end, this.#unit);
    const next = starts.find((start) => isAfter(start, from));
    if (next === undefined) throw this.#stalledError(position);
    this.#next = next;
    this.#fetcher.keepSize();
    if (!isSaturated) return { coveredUntil: beforeEnd };
    this.#saturated = end;
    return { coveredUntil: end, ...(!isKnown && { saturated: end }) };
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
        hint: "Ask the service's provider. Nothing is skipped.",
      },
    );
  }
}

function versionOf({ id, updated_at }: Entity): string {
  return `${id} ${updated_at}`;
}
