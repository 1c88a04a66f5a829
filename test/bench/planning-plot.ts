/**
 * Prints the table of `docs/planning.md` and writes `docs/planning.svg`, in about ten minutes:
 *
 *   npx node test/bench/planning-plot.ts
 */
import { writeFileSync } from 'node:fs';
import { meanFreshness } from './freshness.ts';
import { roundRobin, shipped, trueRates, type PolicyMaker } from './freshness/policies.ts';
import type { WorkloadKind } from './freshness/workload.ts';
import { markdown } from './report-table.ts';

const POLICIES: readonly (readonly [name: string, make: PolicyMaker, color: string])[] = [
  ['round robin', roundRobin, '#888888'],
  ['true rates known', trueRates, '#111111'],
  ['Sitecast', shipped, '#c8102e'],
];
const KINDS: readonly WorkloadKind[] = ['stationary', 'bursty'];
/** Number of lists, and of seeds. */
const SIZES = [
  [400, 5],
  [2000, 5],
  [4000, 5],
  [20_000, 2],
] as const;

const rows: string[][] = [];
const panels = KINDS.map((kind, panel) => {
  const lines = POLICIES.map(([name, make, color]) => {
    const results = SIZES.map(([feeds, seeds]) => meanFreshness(kind, make, { feeds, seeds }));
    const cells = results.map(({ meanDelay, p95Delay, longestWait }) =>
      [meanDelay, p95Delay, longestWait].map(Math.round).join(', '),
    );
    rows.push([kind, name, ...cells]);
    return { color, delays: results.map(({ meanDelay }) => meanDelay) };
  });
  return drawPanel(kind, panel, lines);
});
const head = ['Changes', 'Policy', ...SIZES.map(([feeds]) => `${feeds} lists`)];
process.stdout.write(`${markdown(head, rows)}\n`);
writeFileSync(new URL('../../docs/planning.svg', import.meta.url), drawPlot());

interface Line {
  readonly color: string;
  readonly delays: readonly number[];
}

/** Mean delay by number of lists, both axes logarithmic. */
function drawPanel(kind: WorkloadKind, panel: number, lines: readonly Line[]): string {
  const left = 60 + panel * 420;
  const x = (i: number): number => left + 20 + i * 105;
  const y = (delay: number): number => 330 - 46 * Math.log2(Math.max(delay, 25) / 25);
  return [
    `<text x="${left}" y="28" font-weight="bold">${kind}: mean delay in seconds, by number of lists</text>`,
    ...[25, 50, 100, 200, 400, 800, 1600].map(
      (delay) =>
        `<path d="M${left} ${y(delay)}h360" stroke="#ddd"/>` +
        `<text x="${left - 6}" y="${y(delay) + 4}" text-anchor="end">${delay}</text>`,
    ),
    ...SIZES.map(([feeds], i) => `<text x="${x(i)}" y="352" text-anchor="middle">${feeds}</text>`),
    ...lines.map(({ color, delays }) => {
      const points = delays.map((delay, i) => `${x(i)},${y(delay).toFixed(1)}`).join(' ');
      return `<polyline points="${points}" fill="none" stroke="${color}" stroke-width="2"/>`;
    }),
  ].join('\n');
}

function drawPlot(): string {
  const legend = POLICIES.map(([name, , color], i) => {
    const left = 60 + i * 210;
    return (
      `<path d="M${left} 381h24" stroke="${color}" stroke-width="3"/>` +
      `<text x="${left + 32}" y="385">${name}</text>`
    );
  });
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 400" font-family="sans-serif" font-size="12">',
    '<rect width="880" height="400" fill="#fff"/>',
    ...panels,
    ...legend,
    '</svg>\n',
  ].join('\n');
}
