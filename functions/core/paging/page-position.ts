import type { JsonObject } from '../model/entity.ts';
import type { Page } from '../ports/service-api.ts';
import {
  canonical,
  isAfter,
  latestOf,
  parseTimestamp,
  type Timestamp,
} from '../model/timestamp.ts';

/** The answer to a request for a page, and what decides how to go on after it. */
export interface Answer {
  readonly page: Page;
  /** `last_synced_at` as it was sent, and what it means. */
  readonly sent: string | undefined;
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
export interface Reached {
  /** It holds all that was visible up to here; undefined when it says nothing of that. */
  readonly reached: Timestamp | undefined;
  /** A timestamp that more entities share than the largest page shows: some may stay unseen. */
  readonly saturated?: Timestamp;
}

/** Reads off a page where it lies in its list. */
export function readAnswer(page: Page, sent: string | undefined): Answer {
  const from = parseTimestamp(sent);
  const header = parseTimestamp(page.lastSyncedAt);
  const times = timesOf(page);
  return {
    page,
    sent,
    from,
    header: header !== undefined && isAfter(header, from) ? header : undefined,
    times,
    largest: latestOf(times),
    isEmpty: page.entities.length + page.unusable.length === 0,
  };
}

/**
 * How far the last page reaches: to its latest entity, but not to one with a date to come. What has no
 * timestamp stands where the header says, or where we are.
 */
export function endOfList({ page, header, times }: Answer, cursor: Timestamp | undefined): Reached {
  const { asOf } = page;
  const isPast = (time: Timestamp): boolean => asOf === undefined || !isAfter(time, asOf);
  const largest = latestOf(times.filter(isPast));
  if (largest !== undefined || page.unusable.length === 0) return { reached: largest };
  return { reached: header !== undefined && isPast(header) ? header : cursor };
}

function timesOf({ entities, unusable }: Page): Timestamp[] {
  const times: Timestamp[] = [];
  for (const { updated_at } of entities) times.push(canonical(updated_at));
  for (const { value } of unusable) {
    const time = parseTimestamp((value as JsonObject | null)?.['updated_at']);
    if (time !== undefined) times.push(time);
  }
  return times;
}
