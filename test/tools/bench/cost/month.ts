import type { Monitoring } from '../../../../functions/core/ports/metrics.ts';
import { markdown } from '../../markdown.ts';
import type { Figures, Scale } from '../figures.ts';
import { DEFAULTS, LATENCY_MS } from '../fixture/defaults.ts';
import { billedSeconds, billOf, totalOf } from './bill.ts';
import { monitoringTable } from './monitoring.ts';
import { simulateTicks } from './ticks.ts';

/** The answer times of the service that the docs tell months for. */
const LATENCIES_MS = [LATENCY_MS.service, 400];

/**
 * An idle month of 1,000 projects, with everything that is billed: ticks are counted in virtual
 * time, prices are those of `prices.ts`.
 */
export async function measureMonth(scale: Scale): Promise<Figures> {
  const projects = scale === 'full' ? 1_000 : 5;
  const usd = LATENCIES_MS.map(async (latencyMs) => {
    const tick = await simulateTicks({ projects, isActive: false, latencyMs });
    return totalOf(billOf(tick, DEFAULTS));
  });
  const [monthlyUsd = NaN, monthlyUsdSlow = NaN] = await Promise.all(usd);
  return { monthlyUsd, monthlyUsdSlow };
}

/** The tables of the docs: months by the number of projects, and by `monitoring`. */
export async function monthsTable(): Promise<string> {
  const rows: string[][] = [];
  for (const projects of [10, 100, 1_000, 10_000]) {
    for (const latencyMs of LATENCIES_MS) {
      for (const isActive of [false, true]) {
        const tick = await simulateTicks({ projects, isActive, latencyMs });
        const totalWith = (monitoring: Monitoring): number =>
          totalOf(billOf(tick, { ...DEFAULTS, monitoring }));
        const { lambda, table, topic, traffic } = billOf(tick, DEFAULTS);
        const usd = [lambda, table, topic, traffic, ...MONITORINGS.map(totalWith)];
        rows.push([
          ...[projects.toLocaleString('en'), `${latencyMs} ms`, isActive ? 'active' : 'idle'],
          `${billedSeconds(tick, DEFAULTS.memoryMb).toFixed(0)} s`,
          ...usd.map((part) => part.toFixed(2)),
        ]);
      }
    }
  }
  const head = ['Projects', 'Answers', 'Month', 'Run', 'Lambda', 'Table', 'Topic', 'Traffic'];
  const sums = ['USD: `off`', '`basic`', '`full`'];
  return `${markdown([...head, ...sums], rows)}\n\n${monitoringTable()}`;
}

const MONITORINGS = ['off', 'basic', 'full'] as const;
