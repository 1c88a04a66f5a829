/**
 * Reads one list page by page from a cursor. Skips nothing in silence.
 *
 * - Ties at a page's end, or at the cursor: each request starts 1 ms before. The mirror knows the
 *   repeats.
 * - More entities within 2 ms than a page holds: grows the page, then asks at the timestamp itself,
 *   then 1 ms later. From the second step on it reports the timestamp.
 * - Empty pages that have more: goes by their header, ten in a row, then grows the page once.
 * - Entities without any time that can be read: grows the page, then goes by the header, and
 *   reports that.
 * - A page too large for the memory: asks again for half. A page too slow: fails.
 * - A list that does not ascend, or offers no way on: fails. Reading it by a cursor would lose
 *   changes in silence.
 *
 * Serves promise 1 of docs/guarantees.md. Its exception is limit 6, which is reported.
 */
import type { Entity, InvalidEntity, JsonObject } from '../model/entity.ts';
import { PageTooLargeError, PageTooSlowError } from '../model/errors.ts';
import type { SlowTie } from '../model/feed.ts';
import {
  earlierOf,
  isAfter,
  laterOf,
  latestOf,
  parseTimestamp,
  shiftTimestamp,
  toCanonical,
  type Timestamp,
} from '../model/timestamp.ts';
import type { PageSize } from './page-size.ts';

/** A list that continues after this many empty pages in a row is treated as a loop. */
const MAX_EMPTY_PAGES = 10;

/** One page of a list, as its answer shows it. */
export interface ListPage {
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
  /** `X-Has-More`. */
  readonly hasMore: boolean;
  /** `X-Last-Synced-At`. */
  readonly lastSyncedAt?: string;
}

/** Where the pages of a list come from. */
export interface ListSource<P extends ListPage> {
  /** @param cursor `last_synced_at`; undefined on the first request. */
  fetch(cursor: string | undefined, perPage: number): Promise<P>;
  /** Makes the error of a list that cannot be read on. */
  broken(reason: string): Error;
}

/** Where a list is read from. */
export interface ListStart {
  /** Absent: from its start. */
  readonly cursor?: Timestamp | undefined;
  readonly slowTie?: SlowTie | undefined;
}

/** A page that was read, and its place in the list. */
export interface PageRead<P extends ListPage> {
  readonly page: P;
  /** `updated_at` of each entity, valid or not, that has one. */
  readonly times: readonly Timestamp[];
  /**
   * The time up to which the list was read: the next request starts just before it. Entities alone
   * move it: a header may be ahead of them.
   */
  readonly reached: Timestamp | undefined;
  /** A timestamp that was stepped over: entities may be skipped. */
  readonly saturated: Timestamp | undefined;
  /** False within a tie: a poll that ends here would begin with the tie again. */
  readonly hasAdvanced: boolean;
}

/** Reads one list page by page, by the rules at the head of this file. */
export class ListReader<P extends ListPage> {
  readonly #source: ListSource<P>;
  readonly #size: PageSize;
  readonly #slowTie: SlowTie | undefined;
  /** `last_synced_at` of the next request. */
  #next: string | undefined;
  #latest: Timestamp | undefined;
  #reached: Timestamp | undefined;
  #emptyPageCount = 0;
  /** The timestamp at which the list does not advance. */
  #tie: Timestamp | undefined;
  /** Whether a larger page was asked for since the list advanced. */
  #hasGrown = false;
  #saturated: Timestamp | undefined;

  constructor(source: ListSource<P>, size: PageSize, { cursor, slowTie }: ListStart = {}) {
    this.#source = source;
    this.#size = size;
    this.#slowTie = slowTie;
    if (cursor !== undefined) this.#goTo(shiftTimestamp(cursor, -1));
  }

  /** Reads the next page. Must not be called after the last one. */
  async next(): Promise<PageRead<P>> {
    const page = await this.#fetch();
    const valid = page.entities.map(({ updated_at }) => toCanonical(updated_at));
    const times = [...valid, ...timesOf(page.invalid)];
    const last = latestOf(times);
    this.#latest = laterOf(this.#latest, last);
    const saturated = page.hasMore ? this.#advance(page, valid, last) : undefined;
    const hasAdvanced = this.#tie === undefined && !this.#hasGrown;
    const reached = page.hasMore ? this.#reached : this.#latest;
    return { page, times, reached, saturated, hasAdvanced };
  }

  async #fetch(): Promise<P> {
    for (;;) {
      const perPage = this.#size.entities;
      try {
        return await this.#source.fetch(this.#next, perPage);
      } catch (error) {
        const tie = this.#hasGrown ? this.#tie : undefined;
        if (error instanceof PageTooLargeError && this.#size.halve()) continue;
        if (error instanceof PageTooSlowError) error.page = { perPage, tie };
        throw error;
      }
    }
  }

  /** Decides where the next request starts. @returns a timestamp that it steps over. */
  #advance(
    page: P,
    valid: readonly Timestamp[],
    last: Timestamp | undefined,
  ): Timestamp | undefined {
    const from = parseTimestamp(this.#next);
    const header = laterThan(from, page.lastSyncedAt);
    this.#checkOrder(page.entities, valid);
    const isEmpty = page.entities.length === 0 && page.invalid.length === 0;
    this.#emptyPageCount = isEmpty ? this.#emptyPageCount + 1 : 0;
    const isLoop = isEmpty && this.#emptyPageCount % MAX_EMPTY_PAGES === 0;
    // The header alone may skip entities. A small page may be empty where the service hides
    // entities: a larger one passes them.
    const isUnclear = isLoop || (last === undefined && !isEmpty);
    if (isUnclear && this.#grow()) return undefined;
    if (isLoop) throw this.#stalledError();
    // Try the earlier of header and page, then the page alone. Only valid entities replace a
    // header: the order of invalid ones is not checked.
    const ends = [earlierOf(header ?? valid.at(-1), last), last ?? header];
    const starts = ends.map((end) => end && shiftTimestamp(end, -1));
    const found = starts.findIndex((start) => isNext(start, from));
    const [start, end] = [starts[found], ends[found]];
    if (start === undefined) {
      this.#reached = laterOf(this.#reached, last);
      return this.#stepOver(last ?? header, from);
    }
    this.#tie = undefined;
    this.#hasGrown = false;
    if (last !== undefined) this.#reached = end;
    this.#goTo(start);
    return isUnclear ? end : undefined;
  }

  /** Goes on where the next request would repeat this one: by a larger page, then over the tie. */
  #stepOver(end: Timestamp | undefined, from: Timestamp | undefined): Timestamp | undefined {
    const tie = end && shiftTimestamp(end, 0);
    this.#tie = tie;
    const { at, perPage } = this.#slowTie ?? {};
    if (this.#grow(tie === at ? perPage : undefined)) return undefined;
    const later = tie && [tie, shiftTimestamp(tie, 1)].find((time) => isNext(time, from));
    if (later === undefined) throw this.#stalledError();
    this.#goTo(later);
    const isNew = this.#saturated !== tie;
    this.#saturated = tie;
    return isNew ? tie : undefined;
  }

  /** @returns false if a larger page was asked for already, or none can be. */
  #grow(largest?: number): boolean {
    if (this.#hasGrown || !this.#size.grow(largest)) return false;
    this.#hasGrown = true;
    return true;
  }

  /** Nothing is as early as the year 0, and some services refuse such a time. */
  #goTo(next: Timestamp): void {
    this.#next = next.startsWith('0000') ? undefined : next;
  }

  #checkOrder(entities: readonly Entity[], times: readonly Timestamp[]): void {
    const index = times.findIndex((time, n) => n > 0 && isAfter(times[n - 1] ?? time, time));
    if (index < 0) return;
    const [first, second] = entities
      .slice(index - 1)
      .map((each) => `${each.id} (${each.updated_at})`);
    throw this.#source.broken(
      `the list must ascend by updated_at, but ${first} comes before ${second}`,
    );
  }

  #stalledError(): Error {
    return this.#source.broken(
      `the list has more, but does not go on after last_synced_at ${this.#next ?? '(none)'}`,
    );
  }
}

function isNext(time: Timestamp | undefined, from: Timestamp | undefined): boolean {
  return time !== undefined && isAfter(time, from);
}

/** A header that is not later than the cursor that was sent leads nowhere. */
function laterThan(from: Timestamp | undefined, header: string | undefined): Timestamp | undefined {
  const time = parseTimestamp(header);
  return isNext(time, from) ? time : undefined;
}

function timesOf(invalid: readonly InvalidEntity[]): Timestamp[] {
  return invalid.flatMap(
    ({ value }) => parseTimestamp((value as JsonObject | null)?.['updated_at']) ?? [],
  );
}
