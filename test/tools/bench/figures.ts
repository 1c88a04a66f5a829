import { markdown } from '../markdown.ts';

/** How much of a benchmark is run: all, or just enough to see it work. */
export type Scale = 'full' | 'tiny';

/** One figure of the project, and its goal. */
export interface Goal {
  /** What the figure is, in a line. */
  readonly text: string;
  /** The largest figure that is good enough; absent for a figure without a bound. */
  readonly goal?: number;
  readonly unit?: string;
}

/** All figures by their keys in `--json`, in the order in which they are printed. */
export const GOALS = {
  pageChain: { text: '50 pages that all changed: wall time ÷ 150 ms a page', goal: 1.08 },
  callsPerThousandChanges: { text: 'AWS calls per 1,000 changes; batches allow 151', goal: 155 },
  cpuPerChangedEntity: { text: 'CPU of a changed entity ÷ fetching and parsing it', goal: 5 },
  cpuPerUnchangedEntity: { text: 'CPU of an unchanged entity ÷ the same', goal: 1.5 },
  memoryGrowthMb: { text: 'Peak memory, 10,000 → 1,000,000 entities', goal: 16, unit: 'MB' },
  idleCalls: { text: 'Idle tick of 4,000 lists: table and topic calls', goal: 22 },
  idleReadUnits: { text: 'Idle tick: read units', goal: 80 },
  idleWriteUnits: { text: 'Idle tick: write units', goal: 20 },
  freshnessBursty: { text: 'Bursty changes, mean delay ÷ round robin', goal: 0.28 },
  freshnessBurstyP95: { text: 'Bursty changes, 95th percentile ÷ round robin', goal: 0.66 },
  freshnessStationary: { text: 'Stationary changes, mean delay ÷ known rates', goal: 1.07 },
  limitedP95: { text: '10 requests a second, 161 lists: 95th percentile', goal: 60, unit: 's' },
  limitedRefused: { text: '10 requests a second: requests refused', goal: 1, unit: '%' },
  coldStart: { text: "Start of the poller's bundle ÷ of an empty module", goal: 4.5 },
  firstEvent: { text: 'npm start → first event', goal: 8, unit: 's' },
  monthlyUsd: { text: 'Idle month of 1,000 projects, 150 ms answers', goal: 8.5, unit: 'USD' },
  monthlyUsdSlow: { text: 'The same with answers of 400 ms', unit: 'USD' },
} as const satisfies Readonly<Record<string, Goal>>;

export type FigureKey = keyof typeof GOALS;

/** What one measurement yields. */
export type Figures = Readonly<Partial<Record<FigureKey, number>>>;

/** The table that `npm run bench` prints. */
export function figureTable(figures: Figures): string {
  const rows = Object.entries(figures).map(([key, value]) => {
    const { text, goal, unit = '' }: Goal = GOALS[key as FigureKey];
    const verdict = goal === undefined ? '' : value <= goal ? 'ok' : 'NOT MET';
    return [text, shown(value), unit, goal === undefined ? '' : `≤ ${goal}`, verdict];
  });
  return markdown(['Figure', 'Value', '', 'Goal', ''], rows);
}

/** With three digits that count. */
function shown(figure: number): string {
  return figure >= 100 ? String(Math.round(figure)) : figure.toPrecision(3);
}
