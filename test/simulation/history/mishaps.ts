import fc from 'fast-check';
import { beforeStep, oneOf, type Made } from './arbitraries.ts';

/** A time in which the whole service fails, with a tick in each minute. */
export const outage = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  /** Answers to all requests: 503, 404 or 429. `flaps`: half of them are 503. */
  how: fc.constantFrom('is down', 'refuses', 'limits requests', 'flaps'),
  minutes: oneOf(1, 2, 5, 20, 90),
});
export type Outage = Made<typeof outage>;

/**
 * A time in which lists fail apart from each other, with a tick in each minute: the lists below projects are
 * refused; then no list is read; then the list of projects fails alone.
 */
export const splitOutage = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  refusedMinutes: oneOf(2, 20),
  allMinutes: oneOf(0, 5),
  aloneMinutes: oneOf(5, 40),
});
export type SplitOutage = Made<typeof splitOutage>;

/** A time in which the table throttles calls: it processes nothing of them. */
export const throttling = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  ms: oneOf(500, 5_000, 20_000, 300_000),
  /** Share of the calls. */
  share: fc.constantFrom(0.3, 0.8, 1),
});
export type Throttling = Made<typeof throttling>;

/** Runs whose first answers have no `Date`, while a list shows an entity dated less than a day ahead. */
export const undatedStarts = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  /** Index of the project, modulo their number. */
  which: fc.nat({ max: 5 }),
  /** Answers without a `Date`, of each run. */
  answers: oneOf(1, 3, 1_000),
  /** Runs that start so, with a change before each. */
  runs: oneOf(1, 3),
});
export type UndatedStarts = Made<typeof undatedStarts>;

/** A time in which all lists of a resource fail, and others are read, with a tick in each minute. */
export const resourceOutage = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  resource: fc.constantFrom('floorplans', 'template_checklists'),
  /** Whether the list of projects fails, too. */
  withProjects: fc.boolean(),
  /** `Retry-After` of the failures. */
  retryAfterMinutes: oneOf(0, 60),
  minutes: oneOf(5, 20),
});
export type ResourceOutage = Made<typeof resourceOutage>;
