import fc from 'fast-check';
import { beforeStep, changesOf, oneOf, type Made } from './arbitraries.ts';

/** A time in which lists fail, with a tick in each minute. */
export const outage = fc.record({
  beforeStep,
  lists: fc.constantFrom('all', 'all', 'all', 'projects', 'floorplans', 'below projects'),
  /** 503, no answer in time, 404, 429, or 503 with a `Retry-After` of 20 minutes. */
  answer: fc.constantFrom(
    'is down',
    'is down',
    'hangs',
    'refuses',
    'limits requests',
    'asks to wait',
  ),
  minutes: oneOf(2, 20, 40),
});
export type Outage = Made<typeof outage>;

/** A time in which the table throttles calls: it processes nothing of them. */
export const throttling = fc.record({
  beforeStep,
  ms: oneOf(500, 5_000, 20_000, 300_000),
  /** Share of the calls. */
  share: fc.constantFrom(0.3, 0.8, 1),
});
export type Throttling = Made<typeof throttling>;

/** A change of the number of shards: pollers of two deployments start side by side. */
export const deployment = fc.record({
  beforeStep,
  shardCount: oneOf(1, 2, 4),
  /** Ticks until shard 0 is deployed: other new shards are started before it. */
  ticksBefore: fc.nat({ max: 2 }),
  /** Ticks until those of the old deployment are removed. */
  ticksAfter: fc.nat({ max: 3 }),
});
export type Deployment = Made<typeof deployment>;

/** An operator's command. */
export const command = fc.record({
  beforeStep,
  name: fc.constantFrom(
    ...(['pause', 'resume', 'retry', 'rewind', 'replay', 'replay', 'quarantine'] as const),
  ),
  scope: fc.constantFrom('list', 'project', 'resource', 'all', 'all'),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  /** The time that a rewind or replay begins at. */
  minutesBack: oneOf(0, 20, 200, 3_000),
});
export type Command = Made<typeof command>;

/**
 * An entity goes without a trace, or all lists are reconciled, perhaps while one hides every second
 * entity.
 */
export const loss = fc.record({
  beforeStep,
  what: fc.constantFrom(
    ...changesOf('floorplan', 'destroy', 'destroy', 'destroy'),
    ...changesOf('checklist', 'destroy', 'destroy'),
    ...changesOf('project', 'destroy'),
    ...changesOf('list', 'thin', 'thin', 'show'),
    'reconcile',
  ),
  /** Index of the entity or list, modulo their number. */
  which: fc.nat({ max: 8 }),
});
export type Loss = Made<typeof loss>;
