import type { History } from './history.ts';
import type { List } from './truth.ts';

/** Size of an entity in a page's body. */
export const ENTITY_BYTES = 1_000;
/** More than its bytes, so each page waits for memory a second time. */
export const ENTITY_WEIGHT = 1_200;
/** Fits four pages of three entities, or of two with the reserve for larger ones. */
const SHORT = { pageBytes: 14_400, entities: 2 };
const PLENTY = { pageBytes: 1e6, entities: Infinity };

/** Entities of a page that the service always shows in time; halving may end between that and the largest. */
export function fastPageOf({ service: { slowAbove, largestPage } }: History): number {
  return Math.min(largestPage, slowAbove < 1_000 ? Math.floor(slowAbove / 2) : Infinity);
}

/** Entities of the largest page that the service ever shows. */
export function largestPageOf({ service }: History): number {
  return Math.min(service.largestPage, service.slowAbove);
}

/** Entities to request: where a page may be too slow, more than that takes. */
export function perPageOf({ service, notifier }: History): number {
  return service.slowAbove < 1_000 ? 4 * notifier.perPage : notifier.perPage;
}

/** Memory for page bodies, and the entities that a page may have then. Short in every third history. */
export function memoryOf({ luck }: History): typeof SHORT {
  return luck % 3 === 0 ? SHORT : PLENTY;
}

/** Whether a list has a tie that needs a page which is too slow. */
export function hasSlowTie({ mostAtOneStamp }: List, history: History): boolean {
  return history.service.slowAbove < 1_000 && mostAtOneStamp > fastPageOf(history);
}
