import { fewestRequestsOf, hasShortMemory, type History } from './history/history.ts';
import type { List } from './truth.ts';

/** Size of an entity in a page's body. */
export const ENTITY_BYTES = 1_000;
/** More than its bytes, so each page waits for memory a second time. */
export const ENTITY_WEIGHT = 1_200;
/** Fits four pages of three entities, or of two with the reserve for larger ones. */
const SHORT = { pageBytes: 14_400, entities: 2 };
const PLENTY = { pageBytes: 1e6, entities: Infinity };

/** Rows of others that pages of projects read before the first one of ours, in a slow start. */
const ROWS_OF_OTHERS = 60;
/** Four pages of a slow start are too slow: halved three times, this is still more than 12. */
const SLOW_START_PER_PAGE = 200;

/** Projects of others, which fill pages of the list. */
export function strangersOf({ service, slowStart }: History): number {
  return slowStart ? ROWS_OF_OTHERS : service.strangers;
}

/** Pages that read more rows take longer than an attempt may. */
export function slowAboveOf({ service, slowStart }: History): number {
  return slowStart ? Math.min(service.slowAbove, 12) : service.slowAbove;
}

/** Entities of a page that the service always shows in time; halving may end between that and the largest. */
export function fastPageOf(history: History): number {
  const { largestPage } = history.service;
  const slowAbove = slowAboveOf(history);
  return Math.min(largestPage, slowAbove < 1_000 ? Math.floor(slowAbove / 2) : Infinity);
}

/**
 * Entities of one timestamp that are found in any case: given time, a page between one that is too small and one that
 * is too slow. Polls of which none was answered in time leave no time for that.
 */
export function foundAtOnceOf(history: History): number {
  const { notifier, service, hangs, outages, slowStart } = history;
  const isHanging = hangs && outages.length > 0;
  // Nor where a run has few requests.
  if (fewestRequestsOf(history) < 1_000) return fastPageOf(history);
  if (isHanging || slowStart || notifier.timeLimitMs < 55_000) return fastPageOf(history);
  return largestPageOf(history) - (service.repeats ? 1 : 0);
}

/** Entities of the largest page that the service ever shows. */
export function largestPageOf(history: History): number {
  return Math.min(history.service.largestPage, slowAboveOf(history));
}

/** Entities to request: where a page may be too slow, more than that takes. */
export function perPageOf({ service, notifier, slowStart }: History): number {
  if (slowStart) return SLOW_START_PER_PAGE;
  return service.slowAbove < 1_000 ? 4 * notifier.perPage : notifier.perPage;
}

/** Memory for page bodies, and the entities that a page may have then. */
export function memoryOf(history: History): typeof SHORT {
  return hasShortMemory(history) ? SHORT : PLENTY;
}

/** Whether a list has a tie that needs a page which is too slow. */
export function hasSlowTie({ mostAtOneStamp }: List, history: History): boolean {
  return slowAboveOf(history) < 1_000 && mostAtOneStamp > fastPageOf(history);
}
