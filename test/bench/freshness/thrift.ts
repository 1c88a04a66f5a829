import { pollWorkload } from './poll-workload.ts';
import type { Budget, PolicyMaker } from './policies.ts';
import { makeWorkload, type Extent } from './workload.ts';

/** The default of the config, less a sixtieth part. */
const BUDGET: Budget = { tickSeconds: 60, requestsPerTick: 480, maxWaitSeconds: 1800 };
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

/** What comes of a policy when nothing changes for some days, and then people work again. */
export interface Holiday {
  /** Requests of each tick of the last of these days: least, mean and most. */
  readonly requests: readonly [number, number, number];
  /** Mean delays in seconds: of the first change, of the first hour's, and of the whole day's. */
  readonly delays: readonly [number, number, number];
}

/** Two days on which people work, so many on which nothing changes, and one more on which they do. */
export function simulateHoliday(
  feeds: number,
  idleDays: number,
  make: PolicyMaker,
  seed: number,
): Holiday {
  const working = makeWorkload(feeds, 'bursty', seed);
  const backAt = (2 + idleDays) * DAY_S;
  const times = working.times.map((time) => (time < 2 * DAY_S ? time : time + idleDays * DAY_S));
  const workload = { ...working, times, seconds: working.seconds + idleDays * DAY_S };
  const requests = new Map<number, number>();
  const found: { readonly time: number; readonly delay: number }[] = [];
  for (const poll of pollWorkload(workload, make, BUDGET)) {
    const isLastIdle = poll.now > backAt - DAY_S && poll.now <= backAt;
    if (isLastIdle) requests.set(poll.now, (requests.get(poll.now) ?? 0) + 1);
    for (const time of times.subarray(...poll.found)) {
      if (time > backAt) found.push({ time, delay: poll.now - time });
    }
  }
  const first = Math.min(...found.map(({ time }) => time));
  const within = (seconds: number): number =>
    meanOf(found.filter(({ time }) => time <= first + seconds).map(({ delay }) => delay));
  const counts = [...requests.values()];
  return {
    requests: [Math.min(...counts), meanOf(counts), Math.max(...counts)],
    delays: [within(0), within(3600), within(DAY_S)],
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
