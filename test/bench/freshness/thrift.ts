import { pollWorkload } from './poll-workload.ts';
import type { Budget, PolicyMaker } from './policies.ts';
import { makeWorkload, type Extent } from './workload.ts';

/** The default of the config, less a sixtieth part. */
const BUDGET: Budget = { tickSeconds: 60, requestsPerTick: 480, longestWaitSeconds: 1800 };
const DAY_S = 86_400;
const DAYS_BEFORE = 5;

/** What a policy spends, and what that is good for. */
export interface Thrift {
  readonly requestsPerTick: number;
  /** Seconds from a change to the poll that finds it, on the average. */
  readonly meanDelay: number;
}

/**
 * Polls feeds that change at a steady rate for so many days after some days in which the policy learns.
 *
 * The mean delay is the expected one, by the rates and the waits: where there is a change a day, those
 * that happen to come tell little.
 */
export function simulateThrift(feeds: number, extent: Extent, make: PolicyMaker): Thrift {
  const days = extent.days + DAYS_BEFORE;
  const workload = makeWorkload(feeds, 'stationary', 1, { ...extent, days });
  let [requests, changes, delay] = [0, 0, 0];
  for (const { feed, now, waited } of pollWorkload(workload, make, BUDGET)) {
    if (now <= DAYS_BEFORE * DAY_S) continue;
    const expected = (workload.rates[feed] ?? 0) * waited;
    requests += 1;
    changes += expected;
    delay += (expected * waited) / 2;
  }
  const ticks = (extent.days * DAY_S) / BUDGET.tickSeconds;
  return { requestsPerTick: requests / ticks, meanDelay: delay / changes };
}
