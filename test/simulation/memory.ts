import { hasShortMemory, type History } from './history/history.ts';
import type { List } from './truth.ts';

/** Size of an entity in a page's body. */
export const ENTITY_BYTES = 1_000;
/** A body has four entities at most, of which a service that repeats one shows three. */
const SHORT = { maxBodyBytes: 4_500, entities: 3 };
const PLENTY = { maxBodyBytes: 1e6, entities: Infinity };

/** Rows of others that pages of projects read before the first one of ours, in a slow start. */
const ROWS_OF_OTHERS = 20;
/** Four polls of a slow start are too slow. */
const SLOW_START_PER_PAGE = 200;

/** Projects of others, which fill pages of the list. */
export function strangersOf({ service, slowStart }: History): number {
  return slowStart ? ROWS_OF_OTHERS : service.strangers;
}

/** Pages that read more rows take longer than an attempt may. */
export function slowAboveOf({ service, slowStart }: History): number {
  return slowStart ? Math.min(service.slowAbove, 12) : service.slowAbove;
}

/** Entities of a page that is always delivered; halving may end between that and the largest. */
export function fastPageOf(history: History): number {
  const slowAbove = slowAboveOf(history);
  const fitting = Math.min(slowAbove, memoryOf(history).entities);
  const delivered = slowAbove < 1_000 ? Math.floor(fitting / 2) : fitting;
  return Math.min(history.service.largestPage, delivered);
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
