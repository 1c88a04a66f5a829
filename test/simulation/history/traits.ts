import fc from 'fast-check';
import { mostly, oneOf, type Made } from './arbitraries.ts';

/** The behaviour of the service where the spec leaves it open. */
export const serviceTraits = fc.record({
  /** How `last_synced_at` filters. */
  filter: fc.constantFrom('>', '>='),
  /** Order of entities with equal timestamps. */
  tieOrder: fc.constantFrom('by id', 'by id, backwards', 'another on every read'),
  /** `X-Last-Synced-At` of a page with entities. */
  cursorHeader: mostly('last item', 'absent', 'behind', 'ahead', 'ahead'),
  /** `X-Last-Synced-At` of a page without. */
  emptyPageCursor: fc.constantFrom('echo', 'now', 'absent'),
  /** Whether answers have a `Date`, and the right one. */
  dates: mostly('always', 'never', 'missing', 'jumping'),
  /** See {@link skewOf}. */
  skewMs: oneOf(0, -420_000, 420_000),
  /** `updated_at` is rounded down to a multiple of this, in milliseconds. */
  roundMs: oneOf(1, 5_000),
  /** How `updated_at` shows a time that is stored finer. The filter uses the stored time. */
  shown: mostly('as stored', 'truncated', 'rounded'),
  /** Maximum age of the copy that answers a request, in milliseconds. */
  lagMs: oneOf(0, 0, 3_000, 9_000),
  /** Lists below a deleted project. */
  deletedProjectLists: fc.constantFrom('answer', 'not_found'),
  /** Deleted items in the list of their checklist. */
  deletedItems: fc.constantFrom('marked', 'left_out'),
  /** Lists of a project without permission. */
  lostPermission: fc.constantFrom('refused', 'empty'),
  /** Projects of others: they fill pages of the list, and are not shown. */
  strangers: oneOf(0, 0, 0, 3),
});
export type ServiceTraits = Made<typeof serviceTraits>;

/**
 * How far the service's clock is ahead of ours, in milliseconds. Without a usable `Date` our clock
 * replaces it, so both must be right.
 */
export function skewOf({ dates, skewMs }: ServiceTraits): number {
  return dates === 'always' ? skewMs : 0;
}

/** The setup of the notifier. */
export const notifierTraits = fc.record({
  perPage: fc.integer({ min: 2, max: 5 }),
  lookbackMs: oneOf(10_000, 60_000, 60_000, 60_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pagesPerTurn: oneOf(1, 2, 20),
  /** Nested items that are loaded, published and saved at once. */
  groupSize: oneOf(200, 200, 1, 2),
  baseline: mostly('silent', 'emit'),
  /** A run is killed after this time. */
  timeLimitMs: oneOf(55_000, 13_000, 300_000),
  /** A run sweeps over the lists so often; 0: once. */
  pollEverySeconds: oneOf(0, 0, 0, 0, 0, 0, 0, 20),
  /** Floorplans come with their current sheet. */
  sheets: fc.boolean(),
  /** Maximum requests of a run until the service is calm. */
  requestsPerRun: oneOf(1_000, 1_000, 1_000, 12, 4),
  /** Maximum age of the feeds that a run loads, in milliseconds. */
  staleMs: oneOf(0, 0, 2_000, 90_000),
});
