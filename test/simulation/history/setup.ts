import fc from 'fast-check';
import { mostly, oneOf, type Made } from './arbitraries.ts';

/** The behaviour of the service where the spec leaves it open. */
export const serviceTraits = fc.record({
  /** How `last_synced_at` filters. */
  filter: fc.constantFrom('>', '>='),
  /** Order of entities with equal timestamps. */
  tieOrder: fc.constantFrom('by id', 'by id, backwards', 'another on every read'),
  /** `X-Last-Synced-At` of a page with entities. */
  cursorHeader: mostly('last item', 'absent', 'behind', 'ahead'),
  /** `X-Last-Synced-At` of a page without. */
  emptyPageCursor: fc.constantFrom('echo', 'now', 'absent'),
  /** Whether answers have a `Date`, and the right one. */
  dates: mostly('always', 'never', 'missing', 'jumping', 'jittering'),
  /** See {@link skewOf}. */
  skewMs: oneOf(0, -420_000, 420_000),
  /** `updated_at` is rounded down to a multiple of this, in milliseconds. */
  roundMs: oneOf(1, 100, 5_000),
  /** Whether two versions of an entity may share one `updated_at`. */
  sharesVersions: fc.boolean(),
  /** Whether changes of an item move the `updated_at` of its checklist. */
  itemsMoveChecklist: fc.boolean(),
  /** Maximum age of the copy that answers a request, in milliseconds. */
  lagMs: oneOf(0, 3_000, 9_000),
  /** Pages show their first entity twice. */
  repeats: fc.integer({ min: 0, max: 7 }).map((n) => n === 7),
  /** Maximum entities on a page. */
  largestPage: oneOf(1_000, 6),
  /** Lists below a deleted project. */
  deletedProjectLists: fc.constantFrom('answer', 'not_found'),
  /** Deleted items in the list of their checklist. */
  deletedItems: fc.constantFrom('marked', 'left_out'),
  /** Lists of a project without permission. */
  lostPermission: fc.constantFrom('refused', 'empty'),
  /** How `updated_at` shows a time that is stored finer. The filter goes by what is stored. */
  shown: mostly('as stored', 'truncated', 'rounded'),
  /** Every third row is stored as shown, whatever the others are. */
  storesMixed: fc.boolean(),
  /** Projects of others, which fill pages of the list and are not shown. */
  strangers: oneOf(0, 0, 0, 8),
  /** Pages with more entities take longer than an attempt may. */
  slowAbove: oneOf(1_000, 1_000, 1_000, 9),
});
export type ServiceTraits = Made<typeof serviceTraits>;

/**
 * How far the service's clock is ahead of ours, in milliseconds. Without a usable `Date` our clock
 * replaces it, so both must be right.
 */
export function skewOf({ dates, skewMs }: ServiceTraits): number {
  return dates === 'always' || dates === 'jittering' ? skewMs : 0;
}

/** The setup of the notifier. */
export const notifierTraits = fc.record({
  perPage: fc.integer({ min: 2, max: 5 }),
  lookbackMs: oneOf(10_000, 60_000),
  concurrency: fc.integer({ min: 1, max: 3 }),
  pagesPerTurn: oneOf(1, 2, 20),
  baseline: mostly('silent', 'emit'),
  /** A run is killed after this time. */
  timeLimitMs: oneOf(55_000, 13_000, 300_000),
  /** Floorplans come with their current sheet. */
  sheets: fc.boolean(),
});

/** Limits of a run. */
export const limits = fc.record({
  /** Maximum requests of a run until the service is calm. */
  requestsPerRun: oneOf(1_000, 1_000, 12, 4),
  /** Maximum age of the feeds that a run loads, in milliseconds. */
  staleMs: oneOf(0, 0, 2_000, 90_000),
  /** Refuses every call until the service is calm; a topic after it has accepted some events. */
  outage: fc.constantFrom('none', 'none', 'none', 'none', 'topic'),
});
export type Limits = Made<typeof limits>;
