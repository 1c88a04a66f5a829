/**
 * Prints the tables of thrift in `docs/planning.md`: `npx node test/bench/thrift-table.ts`. Takes some minutes.
 */
import { lavish, shipped } from './freshness/policies.ts';
import { simulateHoliday, simulateThrift, type Holiday } from './freshness/thrift.ts';
import { markdown } from './report.ts';

const SIZES = [2_000, 4_000];
const EXTENTS = [
  { changesPerDay: 1, days: 10 },
  { changesPerDay: 10, days: 5 },
  { changesPerDay: 100, days: 2 },
  { changesPerDay: 1_000, days: 2 },
  { changesPerDay: 20_000, days: 1 },
];

const rows: string[][] = [];
for (const feeds of SIZES) {
  for (const extent of EXTENTS) {
    const [without, thrift] = [lavish, shipped].map((make) => simulateThrift(feeds, extent, make));
    if (without === undefined || thrift === undefined) continue;
    const requests = [without, thrift].map((each) => each.requestsPerTick.toFixed(0));
    const delays = [without, thrift].map((each) => `${each.meanDelay.toFixed(0)} s`);
    rows.push([
      feeds.toLocaleString('en'),
      extent.changesPerDay.toLocaleString('en'),
      ...requests,
      ...delays,
    ]);
  }
}
const head = ['Lists', 'Changes a day', 'Requests a tick, all', 'with thrift'];
process.stdout.write(`${markdown([...head, 'Mean delay, all', 'with thrift'], rows)}\n`);

const [FEEDS_OF_HOLIDAY, IDLE_DAYS, SEEDS] = [2_000, 10, [1, 2, 3]];
const back = Object.entries({ 'whole budget': lavish, thrift: shipped }).map(([name, make]) => {
  const each = SEEDS.map((seed) => simulateHoliday(FEEDS_OF_HOLIDAY, IDLE_DAYS, make, seed));
  const mean = (of: (one: Holiday) => number): string =>
    (each.reduce((sum, one) => sum + of(one), 0) / SEEDS.length).toFixed(0);
  return [
    name,
    [0, 1, 2].map((i) => mean(({ requests }) => requests[i] ?? NaN)).join(', '),
    ...[0, 1, 2].map((i) => `${mean(({ delays }) => delays[i] ?? NaN)} s`),
  ];
});
const backHead = ['Scheduler', 'Requests a tick: least, mean, most', 'First change', 'First hour'];
process.stdout.write(`\n${markdown([...backHead, 'Day'], back)}\n`);
