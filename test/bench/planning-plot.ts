import { writeFileSync } from 'node:fs';
import { meanFreshness } from './freshness.ts';
import { roundRobin, shipped, trueRates, type PolicyMaker } from './freshness/policies.ts';
import type { WorkloadKind } from './freshness/workload.ts';

/**
 * Simulates all policies over several numbers of feeds, writes `docs/planning.svg` and prints the
 * table of `docs/planning.md`. Takes some minutes:
 *
 *   npx node test/bench/planning-plot.ts
 */
const POLICIES: Readonly<Record<string, PolicyMaker>> = {
  'round robin': roundRobin,
  'true rates known, √rate': trueRates,
  'shipped: rates learned by kind': shipped,
};
const COLOURS = ['#888888', '#111111', '#c8102e'];
const BUCKETS: readonly WorkloadKind[] = ['stationary', 'bursty'];
/** How many feeds, and how many seeds there is patience for. */
const SIZES = [
  [400, 5],
  [2000, 5],
  [4000, 5],
  [20_000, 2],
] as const;

const figures = BUCKETS.map((kind) => ({
  kind,
  byPolicy: Object.entries(POLICIES).map(([name, make]) => ({
    name,
    delays: SIZES.map(([feeds, seeds]) => meanFreshness(kind, make, { feeds, seeds })),
  })),
}));

for (const { kind, byPolicy } of figures) {
  process.stdout.write(`\n${kind}: mean, 95th percentile, longest wait in seconds\n\n`);
  process.stdout.write(`| policy | ${SIZES.map(([feeds]) => `${feeds}`).join(' | ')} |\n`);
  for (const { name, delays } of byPolicy) {
    const cells = delays.map(({ meanDelay, p95Delay, longestWait }) =>
      [meanDelay, p95Delay, longestWait].map(Math.round).join(', '),
    );
    process.stdout.write(`| ${name} | ${cells.join(' | ')} |\n`);
  }
}
writeFileSync(new URL('../../docs/planning.svg', import.meta.url), plot());

/** One panel a workload: mean delay over the number of feeds, both axes logarithmic. */
function plot(): string {
  const panels = figures.map(({ kind, byPolicy }, panel) => {
    const left = 60 + panel * 420;
    const x = (i: number): number => left + 20 + i * 105;
    const y = (delay: number): number => 330 - 46 * Math.log2(Math.max(delay, 25) / 25);
    const grid = [25, 50, 100, 200, 400, 800, 1600].map(
      (delay) =>
        `<path d="M${left} ${y(delay)}h360" stroke="#ddd"/>` +
        `<text x="${left - 6}" y="${y(delay) + 4}" text-anchor="end">${delay}</text>`,
    );
    const ticks = SIZES.map(
      ([feeds], i) => `<text x="${x(i)}" y="352" text-anchor="middle">${feeds}</text>`,
    );
    const lines = byPolicy.map(({ delays }, i) => {
      const points = delays.map(({ meanDelay }, n) => `${x(n)},${y(meanDelay).toFixed(1)}`);
      const width = i === byPolicy.length - 1 ? 3 : 1.5;
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[i] ?? '#000'}" stroke-width="${width}"/>`;
    });
    return [
      `<text x="${left}" y="28" font-weight="bold">${kind}: mean delay in seconds, by number of lists</text>`,
      ...grid,
      ...ticks,
      ...lines,
    ].join('\n');
  });
  const legend = Object.keys(POLICIES).map((name, i) => {
    const [left, top] = [60 + (i % 2) * 420, 385 + 20 * Math.floor(i / 2)];
    return (
      `<path d="M${left} ${top - 4}h24" stroke="${COLOURS[i] ?? '#000'}" stroke-width="3"/>` +
      `<text x="${left + 32}" y="${top}">${name}</text>`
    );
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 450" font-family="sans-serif" font-size="12">',
    '<rect width="880" height="450" fill="#fff"/>',
    ...panels,
    ...legend,
    '</svg>\n',
  ].join('\n');
}
