import { isAfter, toTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page } from '../ports/service-api.ts';

/** A service's clock that is further ahead of ours is wrong. */
const MAX_AHEAD_MS = 86_400_000;

/**
 * Tells how late it is for the service, by the `Date` of its answers to this run.
 *
 * An answer without a `Date`, or with one that cannot be true, counts as read at the last known one:
 * too early is safe, since a cursor then stays further behind.
 */
export class ServiceTime {
  readonly #clock: Clock;
  #lastDate: Timestamp | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last known `Date`; undefined before the first. */
  get lastDate(): Timestamp | undefined {
    return this.#lastDate;
  }

  /**
   * The page with its `Date`, or the last one that was known when the page was requested; see
   * {@link Page.readAfter}. One that came meanwhile, for another list, may be later than the page.
   */
  date({ readAfter, ...page }: Page, lastDate: Timestamp | undefined): Page {
    if (readAfter !== undefined && !isAfter(readAfter, this.#latestDate)) {
      this.#lastDate = readAfter;
      return { ...page, readAfter };
    }
    return lastDate === undefined ? page : { ...page, readAfter: lastDate };
  }

  /** Whether a time lies in the future: after the page was read, or a day ahead of our own clock. */
  isFuture(time: Timestamp, { readAfter }: Page): boolean {
    return isAfter(time, readAfter ?? this.#latestDate);
  }

  /** Whether a time lies ahead of the service's clock and of ours. */
  isAhead(time: Timestamp, { readAfter }: Page): boolean {
    return isAfter(time, readAfter) && isAfter(time, toTimestamp(this.#clock.now()));
  }

  get #latestDate(): Timestamp | undefined {
    return toTimestamp(this.#clock.now() + MAX_AHEAD_MS);
  }
}
