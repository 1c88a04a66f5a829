import type { JsonObject } from '../model/entity.ts';
import type { Page } from '../ports/service-api.ts';
import {
  toCanonical,
  isAfter,
  latestOf,
  parseTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';

/** The answer to a request for a page, and what decides how to go on after it. */
export interface PagePosition {
  readonly page: Page;
  /** `last_synced_at` as it was sent, and what it means. */
  readonly requestedCursor: string | undefined;
  readonly from: Timestamp | undefined;
  /** `X-Last-Synced-At`, if it leads on: later than `from`. */
  readonly header: Timestamp | undefined;
  /** `updated_at` of everything on the page that has one. */
  readonly times: readonly Timestamp[];
  /** The latest of them. */
  readonly largest: Timestamp | undefined;
  readonly isEmpty: boolean;
}

/** How far a page reaches. */
export interface Coverage {
  /** It holds all that was visible up to here; undefined when it says nothing of that. */
  readonly coveredUntil: Timestamp | undefined;
  /** A timestamp that more entities share than the largest page shows: some may stay unseen. */
  readonly saturated?: Timestamp;
}

/** Reads off a page where it lies in its list. */
export function locatePage(page: Page, requestedCursor: string | undefined): PagePosition {
  const from = parseTimestamp(requestedCursor);
  const header = parseTimestamp(page.lastSyncedAt);
  const times = timesOf(page);
  return {
    page,
    requestedCursor,
    from,
    header: header !== undefined && isAfter(header, from) ? header : undefined,
    times,
    largest: latestOf(times),
    isEmpty: page.entities.length + page.invalid.length === 0,
  };
}

/**
 * How far the last page reaches: to its latest entity, but not to one with a date to come. What has no
 * timestamp stands where the header says, or where we are.
 */
export function endOfList(
  { page, header, times }: PagePosition,
  cursor: Timestamp | undefined,
): Coverage {
  const { readAfter } = page;
  const isPast = (time: Timestamp): boolean => readAfter === undefined || !isAfter(time, readAfter);
  const largest = latestOf(times.filter(isPast));
  if (largest !== undefined || page.invalid.length === 0) return { coveredUntil: largest };
  return { coveredUntil: header !== undefined && isPast(header) ? header : cursor };
}

function timesOf({ entities, invalid }: Page): Timestamp[] {
  const times: Timestamp[] = [];
  for (const { updated_at } of entities) times.push(toCanonical(updated_at));
  for (const { value } of invalid) {
    const time = parseTimestamp((value as JsonObject | null)?.['updated_at']);
    if (time !== undefined) times.push(time);
  }
  return times;
}
