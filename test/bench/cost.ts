import type { Bench } from './bench.ts';
import { billedSeconds, billOf, totalOf, type Deployment } from './cost/bill.ts';
import { simulateTicks, type TickUsage } from './cost/simulated-month.ts';
import { measureWork, type Work } from './cost/work.ts';
import { DEFAULTS } from './fixture/defaults.ts';
import { LATENCY_MS } from './page-chain.ts';

const { memoryMb, concurrency, requestsPerMinute } = DEFAULTS;

/** Without what an operator can do without. */
const PLAIN: Deployment = { memoryMb, withMetrics: false };

const COUNTED_TICKS = 30;

/** Usage of a mean tick, counted after the scheduler has polled all lists once. */
export async function usageOf(projects: number, day: 'idle' | 'active'): Promise<TickUsage> {
  const sweep = Math.ceil((2 * projects + 1) / requestsPerMinute);
  return simulateTicks(projects, day === 'active', { before: sweep + 5, counted: COUNTED_TICKS });
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
    const usage = await usageOf(scale === 'full' ? 1_000 : 5, 'idle');
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
      const usage = await usageOf(projects, day);
      const bill = billOf(usage, work, { memoryMb, withMetrics: true });
      const runSeconds = billedSeconds(usage, work, memoryMb);
      lines.push({ projects, day, usage, runSeconds, bill });
    }
  }
  return lines;
}
