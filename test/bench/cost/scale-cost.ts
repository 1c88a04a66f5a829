import type { Monitoring } from '../../../functions/core/ports/metrics.ts';
/**
 * Prints the costs of `docs/scaling.md`: `npx node --expose-gc test/bench/cost/scale-cost.ts`. Ticks of up
 * to 10,000 projects are simulated; larger ones are computed, see {@link computeTick}.
 */
import { usageOf } from '../cost.ts';
import { DEFAULTS } from '../fixture/defaults.ts';
import { LATENCY_MS } from '../page-chain.ts';
import { markdown } from '../report-table.ts';
import { measureScale } from '../scale.ts';
import { billedSeconds, billOf, totalOf, type Bill } from './bill.ts';
import { monitoringUsd } from './monitoring-bill.ts';
import { monitoringCost } from './monitoring-cost.ts';
import type { TickUsage } from './simulated-month.ts';
import { measureWork, type Work } from './work.ts';

/** An account, and the poller's settings. */
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

const MONTHS = ['idle', 'active'] as const;
/** Numbers of projects that are simulated, with the default config. */
const SIMULATED = [10, 100, 1_000, 10_000];
/** Budgets above the default are those that keep half an hour. */
const COMPUTED: readonly Stage[] = [
  { ...SMALL, projects: 10_000, shards: 8 },
  { ...SMALL, projects: 10_000, requestsPerMinute: 703 },
  { ...SMALL, projects: 100_000, memoryMb: 1_024 },
  { projects: 100_000, requestsPerMinute: 7_019, shards: 1, concurrency: 32, memoryMb: 2_048 },
  { ...SMALL, projects: 100_000, requestsPerMinute: 7_019, shards: 8 },
  { projects: 1_000_000, requestsPerMinute: 70_177, shards: 16, concurrency: 24, memoryMb: 2_048 },
];

/** A mean tick of 10,000 projects, as simulated. */
type Simulated = Readonly<Record<'idle' | 'active', TickUsage>>;

/**
 * Computes a tick of one shard: requests wait for the service, `concurrency` at a time; units follow
 * from the sizes of the items, and those for changes from their number; everything else is as in the
 * simulation of 10,000 projects.
 */
function computeTick(stage: Stage, month: keyof Simulated, simulated: Simulated): TickUsage {
  const projects = stage.projects / stage.shards;
  const requests = stage.requestsPerMinute / stage.shards;
  const waitingMs = (count: number, inFlight: number): number =>
    Math.ceil(count / inFlight) * LATENCY_MS.service;
  const { feeds, readUnits, writeUnits } = measureScale(projects);
  const { [month]: usage, idle } = simulated;
  const ofChanges = (units: 'readUnits' | 'writeUnits'): number =>
    ((usage[units] - idle[units]) * feeds) / idle.feeds;
  return {
    ...usage,
    runMs:
      usage.runMs -
      waitingMs(usage.serviceRequests, concurrency) +
      waitingMs(requests, stage.concurrency),
    feeds,
    serviceRequests: requests,
    events: (usage.events * feeds) / idle.feeds,
    publishRequests: (usage.publishRequests * feeds) / idle.feeds,
    readUnits: readUnits + ofChanges('readUnits'),
    writeUnits: writeUnits + LEASE_UNITS + ofChanges('writeUnits'),
    storedBytes: (usage.storedBytes * feeds) / idle.feeds,
  };
}

const LEVELS = ['off', 'basic', 'full'] as const;

function cellsOf(stage: Stage, month: string, tick: TickUsage, work: Work): string[] {
  const { shards } = stage;
  const billWith = (monitoring: Monitoring) => billOf(tick, work, { ...stage, monitoring });
  // All shards share these.
  const sharedOf = ({ secret, metrics, alarms }: Bill): number => secret + metrics + alarms;
  const totals = LEVELS.map((monitoring) => {
    const bill = billWith(monitoring);
    const ofShards = steadyUsd(monitoring, shards) - steadyUsd(monitoring, 1);
    return shards * (totalOf(bill) - sharedOf(bill)) + sharedOf(bill) + ofShards;
  });
  const { lambda, table, topic, traffic } = billWith('basic');
  const parts = [lambda, table, topic, traffic].map((usd) => shards * usd);
  return [
    stage.projects.toLocaleString('en'),
    stage.requestsPerMinute.toLocaleString('en'),
    `${shards} × ${stage.memoryMb} MB, ${stage.concurrency} lists`,
    month,
    `${billedSeconds(tick, work, stage.memoryMb).toFixed(0)} s`,
    ...[...parts, ...totals].map((usd) => usd.toFixed(usd < 100 ? 2 : 0)),
  ];
}

/** Alarms and metrics of a month in which nothing fails: each of several shards has some of its own. */
function steadyUsd(monitoring: Monitoring, shards: number): number {
  return monitoringUsd(monitoringCost(monitoring, [], shards));
}

const work = await measureWork('full');
const rows: string[][] = [];
for (const projects of SIMULATED) {
  for (const month of MONTHS) {
    const tick = await usageOf(projects, month);
    rows.push(cellsOf({ ...SMALL, projects }, month, tick, work));
  }
}
const largest = Math.max(...SIMULATED);
const simulated = {
  idle: await usageOf(largest, 'idle'),
  active: await usageOf(largest, 'active'),
};
for (const stage of COMPUTED) {
  for (const month of MONTHS) {
    rows.push(cellsOf(stage, month, computeTick(stage, month, simulated), work));
  }
}
const head = ['Projects', 'Requests a minute', 'Shards', 'Month', 'Run', 'Lambda', 'Table'];
const sums = ['Topic', 'Traffic', 'USD: `off`', '`basic`', '`full`'];
process.stdout.write(`${markdown([...head, ...sums], rows)}\n`);
