/**
 * Prints the costs of `docs/scaling.md`: `npx node --expose-gc test/bench/cost/scale-cost.ts`. Ticks of up
 * to 10,000 projects are simulated; larger ones are computed, see {@link computeTick}.
 */
import { usageOf } from '../cost.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { LATENCY_MS } from '../page-chain.ts';
import { markdown } from '../report-table.ts';
import { measureScale } from '../scale.ts';
import { billedSeconds, billOf, totalOf } from './bill.ts';
import { PRICES } from './prices.ts';
import type { TickUsage } from './simulated-month.ts';
import { measureWork, type Work } from './work.ts';

/** An idle account, and the poller's settings. */
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
/** To acquire, renew and release the lease. */
const LEASE_UNITS = 3;

/** Budgets above the default are those that keep half an hour. */
const SIMULATED: readonly Stage[] = [
  { ...SMALL, projects: 1_000 },
  { ...SMALL, projects: 10_000 },
];
const COMPUTED: readonly Stage[] = [
  { ...SMALL, projects: 10_000, requestsPerMinute: 703 },
  { ...SMALL, projects: 100_000, memoryMb: 1_024 },
  { projects: 100_000, requestsPerMinute: 7_019, shards: 1, concurrency: 32, memoryMb: 2_048 },
  { ...SMALL, projects: 100_000, requestsPerMinute: 7_019, shards: 8 },
  { projects: 1_000_000, requestsPerMinute: 70_177, shards: 16, concurrency: 24, memoryMb: 2_048 },
];

/**
 * Computes a tick of one shard: requests wait for the service, `concurrency` at a time; units follow
 * from the sizes of the items; everything else is as in the simulation of 10,000 projects.
 */
function computeTick(stage: Stage, simulated: TickUsage): TickUsage {
  const projects = stage.projects / stage.shards;
  const requests = stage.requestsPerMinute / stage.shards;
  const waitingMs = (count: number, inFlight: number): number =>
    Math.ceil(count / inFlight) * LATENCY_MS.service;
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

function cellsOf(stage: Stage, tick: TickUsage, work: Work, method: string): string[] {
  const { shards } = stage;
  const bill = billOf(tick, work, { ...stage, monitoring: DEFAULTS.monitoring });
  // All shards share these.
  const shared = bill.secret + bill.metrics + bill.alarms;
  // Each of several has a metric of its completed runs, and an alarm on it.
  const ofShards =
    shards === 1 ? 0 : shards * PRICES.metricMonth + (shards - 1) * PRICES.alarmMonth;
  const total = shards * (totalOf(bill) - shared) + shared + ofShards;
  const parts = [bill.lambda, bill.table, bill.traffic].map((usd) => shards * usd);
  const other = total - parts.reduce((sum, usd) => sum + usd, 0);
  return [
    stage.projects.toLocaleString('en'),
    stage.requestsPerMinute.toLocaleString('en'),
    `${shards} × ${stage.memoryMb} MB, ${stage.concurrency} lists`,
    `${billedSeconds(tick, work, stage.memoryMb).toFixed(0)} s`,
    ...[...parts, other, total].map((usd) => usd.toFixed(usd < 100 ? 2 : 0)),
    method,
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
  rows.push(cellsOf(stage, computeTick(stage, latest), work, 'computed'));
}
const head = ['Projects', 'Requests a minute', 'Shards', 'Run', 'Lambda', 'Table', 'Traffic'];
process.stdout.write(`${markdown([...head, 'Other', 'USD a month', 'Tick'], rows)}\n`);
