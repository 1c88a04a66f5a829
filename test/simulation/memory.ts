import type { History } from './history.ts';

/** Size of an entity in a page's body. */
export const ENTITY_BYTES = 1_000;
/** Fits four pages of three entities, or of two with the reserve for larger ones. */
const SHORT = { pageBytes: 12_000, entities: 2 };
const PLENTY = { pageBytes: 1e6, entities: Infinity };

/** Memory for page bodies, and the entities that a page may have then. Short in every third history. */
export function memoryOf({ luck }: History): typeof SHORT {
  return luck % 3 === 0 ? SHORT : PLENTY;
}
