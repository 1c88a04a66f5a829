import {
  DAY_MS,
  earlierOf,
  isAfter,
  isoTime,
  laterOf,
  shiftTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';

/** When a poll began, or a page was read, by two clocks that may differ. */
export interface Moment {
  /** By the service's clock, if it is known. */
  readonly byService: Timestamp;
  /** By the clock that is behind. */
  readonly earliest: Timestamp;
  /** By the clock that is ahead. */
  readonly latest: Timestamp;
}

/**
 * @param date by the service's clock; undefined if its answer has no `Date`.
 * @param now by our clock, in milliseconds since 1970.
 */
export function momentOf(date: Timestamp | undefined, now: number): Moment {
  const own = isoTime(now);
  const byService = date && canBeTrue(date, now) ? date : own;
  return { byService, earliest: earlierOf(own, byService), latest: laterOf(own, byService) };
}

/** Two clocks differ by less than a day. */
function canBeTrue(date: Timestamp, now: number): boolean {
  return Math.abs(Date.parse(date) - now) <= DAY_MS;
}

/**
 * The time up to which a list is complete, but for limit 5 of docs/guarantees.md: the next poll
 * starts there.
 *
 * A late commit is an entity that becomes visible later than its `updated_at`, by up to the
 * lookback. So a poll that began at 10:00:00 has read all that changed before 9:59:00, with a
 * lookback of 60 s. Entities dated ahead do not move the watermark past that.
 *
 * @param reached the time up to which the poll has read.
 */
export function watermarkOf(
  reached: Timestamp | undefined,
  began: Moment,
  lookbackMs: number,
): Timestamp | undefined {
  return reached && earlierOf(reached, shiftTimestamp(began.earliest, -lookbackMs));
}

/**
 * Whether all changes of a page happened while the poll went on: the list moves, and the next poll
 * reads the rest. Entities that are dated ahead are no such changes.
 */
export function isNewSince(times: readonly Timestamp[], began: Moment, read: Moment): boolean {
  const isNew = (time: Timestamp): boolean =>
    isAfter(time, began.latest) && !isAfter(time, read.latest);
  return times.length > 0 && times.every(isNew);
}
