import { isAfter, shiftTimestamp, toTimestamp, type Timestamp } from '../model/timestamp.ts';
import type { Clock } from '../ports/clock.ts';
import type { Page } from '../ports/service-api.ts';

/** A service's clock that is further ahead of ours is wrong. */
const MAX_AHEAD_MS = 86_400_000;
/** A service that sends no `Date` for longer, and in so many answers, has no clock: polling has not just paused. */
const MAX_AGE_MS = 3_600_000;
const MAX_UNDATED = 100;

/**
 * Time by which an answer may be younger than its `readAfter`: that is `Date`, cut to seconds, less the time that the request
 * took. One that takes longer has no answer.
 */
const MAX_ANSWER_AGE_MS = 10_000;

/** The last known `Date` of a service, and when it came, in milliseconds since 1970 by our clock. */
export interface KnownDate {
  readonly date: Timestamp;
  readonly at: number;
  /** Answers without one since. */
  readonly undated: number;
}

/**
 * Tells how late it is for the service, by the `Date` of its answers to this run and those before.
 *
 * An answer without a `Date`, or with one that cannot be true, counts as read at the last known one:
 * too early is safe, since a cursor then stays further behind.
 */
export class ServiceTime {
  readonly #clock: Clock;
  #known: KnownDate | undefined;

  /** @param known from the run before. Ignored if it is too old, or cannot be true. */
  constructor(clock: Clock, known?: KnownDate) {
    this.#clock = clock;
    const isValid =
      known &&
      (known.undated < MAX_UNDATED || known.at > clock.now() - MAX_AGE_MS) &&
      this.#canBeTrue(known.date);
    this.#known = isValid ? known : undefined;
  }

  /** For the next run: its first answers may have no `Date`. */
  get known(): KnownDate | undefined {
    return this.#known;
  }

  /** The last known `Date`; undefined before the first. */
  get lastDate(): Timestamp | undefined {
    return this.#known?.date;
  }

  /**
   * How late it is for the service: what its last `Date` and the time since then come to by our clock. Undefined before
   * the first, and an hour after it: the clock of another host may have told when it came.
   */
  get now(): Timestamp | undefined {
    if (this.#known === undefined) return undefined;
    const { date, at } = this.#known;
    const elapsedMs = this.#clock.now() - at;
    return elapsedMs <= MAX_AGE_MS ? shiftTimestamp(date, elapsedMs) : undefined;
  }

  /**
   * The page with its `Date`, or the last one that was known when the page was requested; see
   * {@link Page.readAfter}. One that came meanwhile, for another list, may be later than the page.
   *
   * @param lastDate when the page was requested.
   * @param requestedMs when that was, in milliseconds since 1970 by our clock.
   */
  date(
    { readAfter, ...undated }: Page,
    lastDate: Timestamp | undefined,
    requestedMs: number,
  ): Page {
    const page = { ...undated, requestedAt: toTimestamp(requestedMs) };
    const isTrue = readAfter !== undefined && this.#canBeTrue(readAfter);
    if (isTrue) this.#known = { date: readAfter, at: this.#clock.now(), undated: 0 };
    else if (this.#known) this.#known = { ...this.#known, undated: this.#known.undated + 1 };
    const date = isTrue ? readAfter : lastDate;
    if (date === undefined) return page;
    const { now } = this;
    const readBefore = now && shiftTimestamp(now, MAX_ANSWER_AGE_MS);
    return { ...page, readAfter: date, readBefore };
  }

  /** Whether a time lies in the future: after the page was read, or a day ahead of our own clock. */
  isFuture(time: Timestamp, { readAfter }: Page): boolean {
    return isAfter(time, readAfter ?? this.#latestDate);
  }

  /** Whether a time lies ahead of the service's clock and of ours. */
  isAhead(time: Timestamp | undefined, { readAfter }: Page): boolean {
    if (time === undefined) return false;
    return isAfter(time, readAfter) && isAfter(time, toTimestamp(this.#clock.now()));
  }

  #canBeTrue(date: Timestamp): boolean {
    return !isAfter(date, this.#latestDate);
  }

  get #latestDate(): Timestamp | undefined {
    return toTimestamp(this.#clock.now() + MAX_AHEAD_MS);
  }
}
