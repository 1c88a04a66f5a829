import type { JsonObject } from '../model/entity.ts';
import {
  isAfter,
  latestOf,
  parseTimestamp,
  toCanonical,
  type Timestamp,
} from '../model/timestamp.ts';
import type { Page } from '../ports/service-api.ts';
import type { ServiceTime } from './service-time.ts';

/** A page and its position in the list: the facts that decide where the next request starts. */
export interface PagePosition {
  readonly page: Page;
  /** `last_synced_at` exactly as it was sent. */
  readonly requestedCursor: string | undefined;
  /** `requestedCursor` in canonical form. */
  readonly from: Timestamp | undefined;
  /** `X-Last-Synced-At`, if it is later than `from`. */
  readonly header: Timestamp | undefined;
  /** `updated_at` of each entity on the page, valid or not, that has one. */
  readonly times: readonly Timestamp[];
  readonly largest: Timestamp | undefined;
  /** Latest of the times that do not lie in the future. */
  readonly largestPast: Timestamp | undefined;
  readonly isEmpty: boolean;
}

/** The part of its list that a page covers. */
export interface Coverage {
  /** The page holds everything that was visible up to here; undefined when unknown. */
  readonly coveredUntil: Timestamp | undefined;
  /** See {@link FeedPage.saturated}. */
  readonly saturated?: Timestamp;
}

/** Locates a page in its list. */
export function locatePage(
  page: Page,
  requestedCursor: string | undefined,
  serviceTime: ServiceTime,
): PagePosition {
  const from = parseTimestamp(requestedCursor);
  const header = parseTimestamp(page.lastSyncedAt);
  const times = timesOf(page);
  const largest = latestOf(times);
  return {
    page,
    requestedCursor,
    from,
    header: header !== undefined && isAfter(header, from) ? header : undefined,
    times,
    largest,
    largestPast:
      largest !== undefined && serviceTime.isFuture(largest, page)
        ? latestOf(times.filter((time) => !serviceTime.isFuture(time, page)))
        : largest,
    isEmpty: page.entities.length + page.invalid.length === 0,
  };
}

/**
 * The coverage of a list's last page: up to its latest entity that is not dated in the future. A page
 * whose entities have no timestamp covers the list up to its header, or else up to the cursor.
 */
export function lastPageCoverage(
  { page, header, largestPast }: PagePosition,
  cursor: Timestamp | undefined,
  serviceTime: ServiceTime,
): Coverage {
  if (largestPast !== undefined || page.invalid.length === 0) return { coveredUntil: largestPast };
  const isPast = header !== undefined && !serviceTime.isFuture(header, page);
  return { coveredUntil: isPast ? header : cursor };
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
