import { DEFAULTS } from '../../../support/as-deployed.ts';
import { markdown } from '../../markdown.ts';
import type { Figures, Scale } from '../figures.ts';
import { LATENCY_MS } from '../fixture/calls.ts';
import { billedSeconds, billOf, totalOf } from './bill.ts';
import { billMonitoring, monitoringTable } from './monitoring.ts';
import { simulateTicks } from './ticks.ts';

/** The answer times of the service in the docs' table of months. */
const LATENCIES_MS = [LATENCY_MS.service, 400];

/**
 * An idle month of 1,000 projects, with everything that is billed: ticks are counted in virtual
 * time, prices are those of `prices.ts`.
 */
export async function measureMonth(scale: Scale): Promise<Figures> {
  const projects = scale === 'full' ? 1_000 : 5;
  const monitoring = await billMonitoring(DEFAULTS.monitoring);
  const usd = LATENCIES_MS.map(async (latencyMs) => {
    const tick = await simulateTicks({ projects, isActive: false, latencyMs });
    return totalOf(billOf(tick)) + monitoring.usd[0];
  });
  const [monthlyUsd = NaN, monthlyUsdSlow = NaN] = await Promise.all(usd);
  return { monthlyUsd, monthlyUsdSlow };
}

/** The tables of the docs: months by the number of projects, and by `monitoring`. */
export async function monthsTable(): Promise<string> {
  const levels = ['off', 'basic', 'full'] as const;
  const monitorings = await Promise.all(levels.map((each) => billMonitoring(each)));
  const rows: string[][] = [];
  for (const projects of [10, 100, 1_000, 10_000]) {
    for (const latencyMs of LATENCIES_MS) {
      for (const isActive of [false, true]) {
        const tick = await simulateTicks({ projects, isActive, latencyMs });
        const bill = billOf(tick);
        const totals = monitorings.map(({ usd: [steady] }) => totalOf(bill) + steady);
        const usd = [bill.lambda, bill.table, bill.topic, bill.traffic, ...totals];
        rows.push([
          ...[projects.toLocaleString('en'), `${latencyMs} ms`, isActive ? 'active' : 'idle'],
          `${billedSeconds(tick).toFixed(0)} s`,
          ...usd.map((part) => part.toFixed(2)),
        ]);
      }
    }
  }
  const head = ['Projects', 'Answers', 'Month', 'Run', 'Lambda', 'Table', 'Topic', 'Traffic'];
  const sums = ['USD: `off`', '`basic`', '`full`'];
  return `${markdown([...head, ...sums], rows)}\n\n${await monitoringTable()}`;
}
