import type { Monitoring } from '../../functions/core/ports/metrics.ts';
import type { Bench } from './bench.ts';
import { billedSeconds, billOf, totalOf, type Bill, type BilledConfig } from './cost/bill.ts';
import { simulateTicks, type TickUsage } from './cost/simulated-month.ts';
import { measureWork, type Work } from './cost/work.ts';
import { DEFAULTS } from './fixture/defaults.ts';
import { LATENCY_MS } from './page-chain.ts';

const { memoryMb, concurrency, requestsPerMinute } = DEFAULTS;
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
        'A month in which nothing changes in 1,000 projects, at one tick a minute, with everything that is ' +
        `billed. Requests, units, metrics and waiting of ${COUNTED_TICKS} ticks are counted in virtual time ` +
        `(service ${LATENCY_MS.service} ms, table ${LATENCY_MS.table} ms, ${concurrency} requests ` +
        `concurrently, ${requestsPerMinute} a minute); CPU, bytes sent and bytes logged are measured on the ` +
        `handler in a process of its own, with ${memoryMb} of 1,769 MB of a vCPU; prices are those of ` +
        'test/bench/cost/prices.ts, without any free tier.',
      goal: 8,
      unit: 'USD',
    },
  ],
  async measure(scale) {
    const usage = await usageOf(scale === 'full' ? 1_000 : 5, 'idle');
    return { monthlyUsd: totalOf(billOf(usage, await measureWork(scale), DEFAULTS)) };
  },
};

/** One line of the table of costs. */
export interface CostLine {
  readonly projects: number;
  readonly day: 'idle' | 'active';
  readonly usage: TickUsage;
  /** Billed seconds of a tick. */
  readonly runSeconds: number;
  /** With the default `monitoring`. */
  readonly bill: Bill;
  /** US dollars a month, by `monitoring`. */
  readonly totals: Readonly<Record<Monitoring, number>>;
}

/** What a month costs with each `monitoring`. */
export function totalsOf(usage: TickUsage, work: Work, config: BilledConfig): CostLine['totals'] {
  const total = (monitoring: Monitoring) => totalOf(billOf(usage, work, { ...config, monitoring }));
  return { off: total('off'), basic: total('basic'), full: total('full') };
}

/**
 * Prices an idle and an active month of each number of projects.
 *
 * @param onLine called before each line is measured.
 */
export async function costTable(
  sizes: readonly number[],
  work: Work,
  onLine?: (projects: number, day: CostLine['day']) => void,
): Promise<CostLine[]> {
  const lines: CostLine[] = [];
  for (const projects of sizes) {
    for (const day of ['idle', 'active'] as const) {
      onLine?.(projects, day);
      const usage = await usageOf(projects, day);
      const bill = billOf(usage, work, DEFAULTS);
      const totals = totalsOf(usage, work, DEFAULTS);
      const runSeconds = billedSeconds(usage, work, memoryMb);
      lines.push({ projects, day, usage, runSeconds, bill, totals });
    }
  }
  return lines;
}
