import type { Bench } from './bench.ts';
import { billedSeconds, billOf, totalOf, type Deployment } from './cost/bill.ts';
import { planIdleMonth } from './cost/idle-month.ts';
import { simulateTicks, type Ticks, type TickUsage } from './cost/simulated-month.ts';
import { measureWork, type Work } from './cost/work.ts';
import { DEFAULTS } from './fixture/defaults.ts';
import { LATENCY_MS } from './page-chain.ts';

const { memoryMb, concurrency, requestsPerMinute } = DEFAULTS;

/** Without what an operator can do without. */
const PLAIN: Deployment = { memoryMb, withMetrics: false };

/** Enough for each list to be polled once within the longest wait, and for what the first ticks learn. */
const COUNTED_TICKS = 30;

/** Counted after the planner has seen all lists once. */
function activeTicks(projects: number): Ticks {
  const sweep = Math.ceil((2 * projects + 1) / requestsPerMinute);
  return { before: sweep + 5, counted: COUNTED_TICKS };
}

/**
 * What a tick uses on the average of a month in which nothing changes. Ticks are counted as the month
 * begins and when one day is like the other; in between they use the more, the more they request.
 */
export async function idleUsage(projects: number): Promise<TickUsage> {
  const { first, last, requestsPerTick } = planIdleMonth(projects);
  const counted = { before: 0, counted: COUNTED_TICKS };
  const dear = await simulateTicks(projects, false, { ...counted, from: first });
  const cheap = await simulateTicks(projects, false, { ...counted, from: last });
  const more = requestsPerTick - cheap.serviceRequests;
  const most = dear.serviceRequests - cheap.serviceRequests;
  return between(cheap, dear, most === 0 ? 0 : more / most);
}

function between(one: TickUsage, other: TickUsage, share: number): TickUsage {
  const of = (key: keyof TickUsage): number => one[key] + share * (other[key] - one[key]);
  return {
    runMs: of('runMs'),
    feeds: of('feeds'),
    serviceRequests: of('serviceRequests'),
    tableCalls: of('tableCalls'),
    readUnits: of('readUnits'),
    writeUnits: of('writeUnits'),
    publishRequests: of('publishRequests'),
    events: of('events'),
    storedBytes: of('storedBytes'),
    metrics: of('metrics'),
  };
}

export const cost: Bench = {
  name: 'cost',
  rows: [
    {
      key: 'monthlyUsd',
      definition:
        'A month in which nothing changes in 1,000 projects, at one tick a minute, its first days included, in ' +
        'which more is polled than later: it begins at the midnight after a day with 20 changes in each project. ' +
        'The planner alone tells the requests of each day; whole ticks are counted as the month begins and ' +
        `when one day is like the other, ${COUNTED_TICKS} each, and weighted by requests. Requests, units and ` +
        `waiting of ticks in virtual time (service ${LATENCY_MS.service} ms, table ${LATENCY_MS.table} ms, ` +
        `${concurrency} requests at a time, ${requestsPerMinute} a minute); CPU, bytes sent and logged of the ` +
        `handler in a process of its own, on ${memoryMb} of 1,769 MB of a CPU; priced from ` +
        'test/bench/cost/prices.ts, without custom metrics and without any free tier.',
      goal: 2,
      unit: 'USD',
    },
  ],
  async measure(scale) {
    const usage = await idleUsage(scale === 'full' ? 1_000 : 5);
    return { monthlyUsd: totalOf(billOf(usage, await measureWork(scale), PLAIN)) };
  },
};

/** One line of the table of costs. */
export interface CostLine {
  readonly projects: number;
  readonly day: 'idle' | 'active';
  readonly usage: TickUsage;
  /** For which a tick is billed. */
  readonly runSeconds: number;
  readonly bill: ReturnType<typeof billOf>;
}

/** What so many projects cost a month, idle and active. */
export async function costTable(sizes: readonly number[], work: Work): Promise<CostLine[]> {
  const lines: CostLine[] = [];
  for (const projects of sizes) {
    for (const day of ['idle', 'active'] as const) {
      const usage =
        day === 'idle'
          ? await idleUsage(projects)
          : await simulateTicks(projects, true, activeTicks(projects));
      const bill = billOf(usage, work, { memoryMb, withMetrics: true });
      const runSeconds = billedSeconds(usage, work, memoryMb);
      lines.push({ projects, day, usage, runSeconds, bill });
    }
  }
  return lines;
}
