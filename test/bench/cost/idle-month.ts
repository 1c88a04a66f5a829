import { planning, START_MS, type Remembered } from '../freshness/policies.ts';
import { pollWorkload } from '../freshness/poll-workload.ts';
import { makeWorkload } from '../freshness/workload.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { idleFeeds } from '../fixture/idle-feeds.ts';

/** A month in which nothing changes, as the planner has planned it. */
export interface IdleMonth {
  /** What is remembered when it begins. */
  readonly first: Remembered;
  /** What is remembered when one day is like the other. */
  readonly last: Remembered;
  /** On the average of the month. */
  readonly requestsPerTick: number;
}

/** Changes of each project on a day on which people work. */
export const CHANGES_PER_PROJECT = 20;

const BUDGET = {
  tickSeconds: 60,
  requestsPerTick: DEFAULTS.requestsPerMinute,
  maxWaitSeconds: 1_800,
};
const DAY_S = 86_400;
const TICKS_A_DAY = DAY_S / BUDGET.tickSeconds;
const DAYS = 30;

/**
 * Plans a month in which nothing changes, from the midnight after a day on which people worked: the
 * planner that ships, without the rest of a run. Once a day needs as many requests as the one before,
 * but for one a tick, all others are taken to be like it.
 */
export function planIdleMonth(projects: number): IdleMonth {
  const [list, ...others] = idleFeeds(projects, START_MS - DAY_S * 1000);
  // The first of a workload are the busy ones, the list of projects is not.
  const policy = planning(list === undefined ? others : [...others, list], BUDGET);
  const extent = { changesPerDay: CHANGES_PER_PROJECT * projects, days: 1 };
  const working = makeWorkload(others.length + 1, 'bursty', 1, extent);
  const month = { ...working, seconds: (1 + DAYS) * DAY_S };
  let first = policy.remembered;
  const requests: number[] = [];
  for (const { now } of pollWorkload(month, () => policy, BUDGET)) {
    const day = Math.ceil(now / DAY_S) - 1;
    if (day === requests.length) {
      if (day === 1) first = policy.remembered;
      if (isSteady(requests.slice(1))) break;
      requests.push(0);
    }
    requests[day] = (requests[day] ?? 0) + 1;
  }
  const idle = requests.slice(1);
  while (idle.length < DAYS) idle.push(idle.at(-1) ?? 0);
  const sum = idle.reduce((total, count) => total + count, 0);
  return { first, last: policy.remembered, requestsPerTick: sum / DAYS / TICKS_A_DAY };
}

function isSteady(days: readonly number[]): boolean {
  const [before = Infinity, last = Infinity] = days.slice(-2);
  return Math.abs(before - last) <= TICKS_A_DAY;
}
