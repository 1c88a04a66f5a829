import type { History } from './history.ts';

/** What an entity takes of a page's body. */
export const ENTITY_BYTES = 1_000;
/** Room for four pages of three entities, or of two on the average: the rest is kept free for larger ones. */
const SHORT = { pageBytes: 12_000, entities: 2 };
const PLENTY = { pageBytes: 1e6, entities: Infinity };

/** Room for the bodies of a run's pages, and how many entities are asked for with it. Short in every third history. */
export function memoryOf({ luck }: History): typeof SHORT {
  return luck % 3 === 0 ? SHORT : PLENTY;
}
