/**
 * Prints the table of rates by the time of day and by a project's other list in `docs/planning.md`:
 * `npx node test/bench/tried-table.ts`. Takes some minutes.
 */
import { BUDGET, simulatePolling } from './freshness.ts';
import { shipped } from './freshness/policies.ts';
import { TRIED_RATES } from './freshness/tried-rates.ts';
import { makePairedWorkload, makeWorkload, type Workload } from './freshness/workload.ts';
import { markdown } from './report.ts';

const FEEDS = 4_000;
const SEEDS = [1, 2, 3];
const TOGETHER = 0.5;

const WORKLOADS: Readonly<Record<string, (seed: number) => Workload>> = {
  Stationary: (seed) => makeWorkload(FEEDS, 'stationary', seed),
  Bursty: (seed) => makeWorkload(FEEDS, 'bursty', seed),
  'Bursty, in pairs': (seed) => makePairedWorkload(FEEDS, TOGETHER, seed),
};

const rows = Object.entries({ shipped, ...TRIED_RATES }).map(([name, make]) => {
  const delays = Object.values(WORKLOADS).map((workload) => {
    const each = SEEDS.map((seed) => simulatePolling(workload(seed), make, BUDGET).meanDelay);
    return (each.reduce((sum, delay) => sum + delay, 0) / SEEDS.length).toFixed(1);
  });
  return [name, ...delays];
});
process.stdout.write(`${markdown(['Rates', ...Object.keys(WORKLOADS)], rows)}\n`);
