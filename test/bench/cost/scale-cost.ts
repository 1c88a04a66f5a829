/**
 * Prints the costs of `docs/scaling.md`: `node --expose-gc test/bench/cost/scale-cost.ts`. Up to 10,000
 * projects ticks are simulated; beyond, a tick is computed, see {@link computedTick}.
 */
import { usageOf } from '../cost.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { LATENCY_MS } from '../page-chain.ts';
import { markdown } from '../report.ts';
import { measureScale } from '../scale.ts';
import { billedSeconds, billOf, totalOf } from './bill.ts';
import type { TickUsage } from './simulated-month.ts';
import { measureWork, type Work } from './work.ts';

/** An idle account, and what it is polled with. */
interface Stage {
  readonly projects: number;
  /** Of all shards together. */
  readonly requestsPerMinute: number;
  readonly shards: number;
  /** Of each shard. */
  readonly concurrency: number;
  readonly memoryMb: number;
}

const { requestsPerMinute, concurrency, memoryMb } = DEFAULTS;
const SMALL = { requestsPerMinute, shards: 1, concurrency, memoryMb };
/** Taking, renewing and giving back the lease. */
const LEASE_UNITS = 3;

/** Budgets beyond the default are those that keep half an hour, from the table above in the document. */
const SIMULATED: readonly Stage[] = [
  { ...SMALL, projects: 1_000 },
  { ...SMALL, projects: 10_000 },
];
const COMPUTED: readonly Stage[] = [
  { ...SMALL, projects: 10_000, requestsPerMinute: 703 },
  { ...SMALL, projects: 100_000, memoryMb: 1_024 },
  { projects: 100_000, requestsPerMinute: 7_019, shards: 1, concurrency: 32, memoryMb: 2_048 },
  { projects: 1_000_000, requestsPerMinute: 70_177, shards: 16, concurrency: 24, memoryMb: 2_048 },
];

/**
 * A tick of one shard without simulation: each request waits for the service, so many at a time; units
 * come from the sizes of the items; all else takes as long as in the simulation of 10,000 projects.
 */
function computedTick(stage: Stage, simulated: TickUsage): TickUsage {
  const projects = stage.projects / stage.shards;
  const requests = stage.requestsPerMinute / stage.shards;
  const waitingMs = (count: number, atOnce: number): number =>
    Math.ceil(count / atOnce) * LATENCY_MS.service;
  const { feeds, readUnits, writeUnits } = measureScale(projects);
  return {
    ...simulated,
    runMs:
      simulated.runMs -
      waitingMs(simulated.serviceRequests, concurrency) +
      waitingMs(requests, stage.concurrency),
    feeds,
    serviceRequests: requests,
    readUnits,
    writeUnits: writeUnits + LEASE_UNITS,
    storedBytes: (simulated.storedBytes * feeds) / simulated.feeds,
  };
}

function cellsOf(stage: Stage, tick: TickUsage, work: Work, how: string): string[] {
  const { shards } = stage;
  const bill = billOf(tick, work, { memoryMb: stage.memoryMb, withMetrics: true });
  // All shards share the secret.
  const total = shards * (totalOf(bill) - bill.secret) + bill.secret;
  const parts = [bill.lambda, bill.table, bill.traffic].map((usd) => shards * usd);
  const other = total - parts.reduce((sum, usd) => sum + usd, 0);
  return [
    stage.projects.toLocaleString('en'),
    stage.requestsPerMinute.toLocaleString('en'),
    `${shards} x ${stage.memoryMb} MB, ${stage.concurrency} at a time`,
    `${billedSeconds(tick, work, stage.memoryMb).toFixed(0)} s`,
    ...[...parts, other, total].map((usd) => usd.toFixed(usd < 100 ? 2 : 0)),
    how,
  ];
}

const work = await measureWork('full');
const rows: string[][] = [];
let latest: TickUsage | undefined;
for (const stage of SIMULATED) {
  latest = await usageOf(stage.projects, 'idle');
  rows.push(cellsOf(stage, latest, work, 'simulated'));
}
if (latest === undefined) throw new Error('nothing was simulated');
for (const stage of COMPUTED) {
  rows.push(cellsOf(stage, computedTick(stage, latest), work, 'computed'));
}
const head = ['Projects', 'Requests a minute', 'Shards', 'Run', 'Lambda', 'Table', 'Traffic'];
process.stdout.write(`${markdown([...head, 'Other', 'USD a month', 'Tick'], rows)}\n`);
