import fc from 'fast-check';
import { beforeStep, changesOf, oneOf, type Made } from './arbitraries.ts';

/** A change of the number of shards. The pollers of two deployments are started side by side meanwhile. */
export const deployment = fc.record({
  /** Starts before this step, modulo their number. */
  beforeStep,
  shardCount: oneOf(1, 2, 4),
  /** Ticks until shard 0 is deployed: other new shards are started before it. */
  ticksBefore: fc.nat({ max: 2 }),
  /** Ticks until those of the old deployment are removed. */
  ticksAfter: fc.nat({ max: 3 }),
});
export type Deployment = Made<typeof deployment>;

/** Times that pass, after which the table deletes the states that have expired. */
export const retention = fc.record({
  hours: oneOf(2, 3),
  /** They begin before these steps, modulo their number. */
  beforeSteps: fc.array(beforeStep, { minLength: 1, maxLength: 3 }),
});
export type Retention = Made<typeof retention>;

/** What an operator orders. */
export const order = fc.record({
  /** Placed before this step, modulo their number. */
  beforeStep,
  name: fc.constantFrom('pause', 'resume', 'retry', 'rewind'),
  scope: fc.constantFrom('list', 'project', 'resource', 'all'),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  /** A list is rewound to the time so long ago. */
  minutesBack: oneOf(0, 1, 20, 200),
});
export type Order = Made<typeof order>;

/** Something that goes without a trace, a list that hides what is there, or a reconciliation. */
export const loss = fc.record({
  /** Before this step, modulo their number. */
  beforeStep,
  /** `lose`: from the table. `empty`, `thin`: a list shows nothing or every second entity, until `show`. */
  what: fc.constantFrom(
    ...changesOf('floorplan', 'destroy', 'lose'),
    ...changesOf('checklist', 'destroy', 'lose'),
    ...changesOf('list', 'empty', 'thin', 'show'),
    'reconcile',
    'reconcile by force',
  ),
  /** Index of the entity or list, modulo their number. */
  which: fc.nat({ max: 8 }),
});
export type Loss = Made<typeof loss>;

/** A project goes without a trace, with all its lists. */
export const destruction = fc.record({
  beforeStep,
  /** Index of the project, modulo their number. */
  which: fc.nat({ max: 3 }),
  /** It is back as it was before this step, modulo their number, if it went before. */
  returnsBeforeStep: fc.option(beforeStep, { nil: undefined }),
});
export type Destruction = Made<typeof destruction>;

/** An operator has all that is in the quarantine tried again. */
export const repair = fc.record({
  beforeStep,
  /** Whether the topic refuses events now and then until the service is calm. */
  isRefusing: fc.boolean(),
});
export type Repair = Made<typeof repair>;

/** A run has few requests from then on, in the end, too. */
export const shortage = fc.record({
  /** Before this step, modulo their number. */
  beforeStep,
  /** With fewer, a list may not advance behind a tie that is larger than a page: see the guarantees. */
  requestsPerRun: oneOf(9, 14),
});
export type Shortage = Made<typeof shortage>;

/** An operator has events published again. */
export const replay = fc.record({
  /** Placed before this step, modulo their number. */
  beforeStep,
  scope: fc.constantFrom('list', 'project', 'resource', 'all', 'all'),
  /** Index of the list, modulo their number. */
  which: fc.nat({ max: 8 }),
  /** The time begins so long ago. */
  minutesBack: oneOf(1, 20, 200, 3_000),
});
export type Replay = Made<typeof replay>;
