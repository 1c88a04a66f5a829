import fc from 'fast-check';
import { step } from './acts.ts';
import { oneOf, rarely, rarelyTrue, seldom, type Made } from './arbitraries.ts';
import { outage, resourceOutage, splitOutage, throttling } from './mishaps.ts';
import {
  deployment,
  destruction,
  loss,
  order,
  repair,
  replay,
  retention,
  shortage,
  type Shortage,
} from './operations.ts';
import { limits, notifierTraits, serviceTraits } from './setup.ts';

/** Any history: everything that determines a simulation. */
export const histories = fc.record({
  service: serviceTraits,
  notifier: notifierTraits,
  /** Initial number of projects, and of floorplans and checklists in each. */
  projects: fc.integer({ min: 1, max: 2 }),
  floorplans: fc.nat({ max: 5 }),
  checklists: oneOf(0, 1, 2, 2),
  steps: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
  /** Seed of the duration of calls and of the halves of batches. */
  luck: fc.nat(),
  limits,
  outages: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(outage, { minLength: 1, maxLength: 2 }) },
  ),
  /** Each version of a checklist, or every second, shows an invalid item until the service is calm; 0: none. */
  invalidItems: oneOf(0, 0, 0, 1, 2),
  splitOutage: rarely(splitOutage),
  throttling: rarely(throttling),
  /** The list of projects is so slow that its first poll fails: three halvings of its page are too few. */
  slowStart: rarelyTrue(),
  /** In an outage in which the service is down it answers nothing in time. */
  hangs: fc.boolean(),
  /** In a split outage the list of projects fails so late that a run has no time left. */
  failsSlowly: fc.boolean(),
  /** Nested items that are loaded, published and saved at once. */
  groupSize: oneOf(200, 200, 1, 2),
  /** The largest entity state that the table keeps whole. */
  maxItemBytes: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: oneOf(260, 340, 420) },
  ),
  /** Deployments with other numbers of shards; before the first there is one shard. */
  deployments: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(deployment, { minLength: 1, maxLength: 4 }) },
  ),
  retention: rarely(retention),
  /** `X-Last-Synced-At` of each last page: a time without meaning. */
  lastPageCursor: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '0001-01-01T00:00:00.000Z',
        '9999-12-31T23:59:59.999Z',
        '2016-12-31T23:59:60.000Z',
      ),
    },
  ),
  orders: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(order, { minLength: 1, maxLength: 6 }) },
  ),
  losses: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(loss, { minLength: 1, maxLength: 12 }) },
  ),
  repairs: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(repair, { minLength: 1, maxLength: 4 }) },
  ),
  replays: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(replay, { minLength: 1, maxLength: 3 }) },
  ),
  destruction: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: destruction },
  ),
  /** A run sweeps over the lists so often, see `pollEverySeconds` in the config; else once. */
  pollEverySeconds: seldom(oneOf(5, 20)),
  shortage: rarely(shortage),
  resourceOutage: seldom(resourceOutage),
});
export type History = Made<typeof histories>;

/**
 * When requests are short in the end, too. Stepping over a timestamp, or growing a page in short memory, takes more pages
 * than a run has requests then, and polls that start at the same time leave none to a reconciliation.
 */
export function shortageOf(history: History): Shortage | undefined {
  const { largestPage, slowAbove } = history.service;
  const isStepping = largestPage < 1_000 || slowAbove < 1_000 || hasShortMemory(history);
  return isStepping || hasLosses(history) ? undefined : history.shortage;
}

/** Whether there is memory for few pages, so that they grow in small steps: in every third history. */
export function hasShortMemory({ luck }: Pick<History, 'luck'>): boolean {
  return luck % 3 === 0;
}

/** The fewest requests that a run may ever have. */
export function fewestRequestsOf(history: History): number {
  const { requestsPerRun = Infinity } = shortageOf(history) ?? {};
  return Math.min(history.limits.requestsPerRun, requestsPerRun);
}

const HOUR_MS = 3_600_000;

/** How long the states of deleted entities are kept. */
export function retentionOf({ retention }: History): number {
  return (retention?.hours ?? 400 * 24) * HOUR_MS;
}

/** Whether something goes without a trace: then all lists are reconciled in the end. */
export function hasLosses(history: History): boolean {
  return history.losses.length > 0 || history.destruction !== undefined;
}
