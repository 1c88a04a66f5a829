/**
 * Prints the peak of the resident set of a run over a backlog, by what the poller is deployed with:
 * `node test/bench/cost/peak-memory.ts`. What is near its memory would be killed, and killed again by
 * each further run, since the backlog is still there. Takes some ten minutes; with a row's first columns,
 * such as `512 16`, only that row is measured.
 */
import { markdown } from '../report-table.ts';
import { runWorker, type Backlog } from './worker/run-worker.ts';

/** As many lists have a backlog as are polled side by side. */
const DEPLOYED: readonly (readonly [memoryMb: number, concurrency: number])[] = [
  [256, 8],
  [256, 16],
  [512, 8],
  [512, 16],
  [1024, 16],
];

/** Bytes that entities have more than the 425 of a checklist as the service shows it. */
const EXTRA_BYTES = [0, 2_075, 19_575];
/** Lists whose pages are too large in any size: their feeds must fail, not the process. */
const TINY = { extraBytes: 0, tinyEntities: 2_000_000 };

async function peakOf(
  memoryMb: number,
  concurrency: number,
  entities: Pick<Backlog, 'extraBytes' | 'tinyEntities'>,
): Promise<string> {
  const backlog = { projects: 40, lists: concurrency, entities: 2_000, ...entities };
  try {
    const settings = { runs: 1, memoryMb, concurrency, requestsPerMinute: 60_000 };
    const { runs } = await runWorker(backlog, settings);
    return `${Math.round(runs[0]?.peakMb ?? NaN)} MB`;
  } catch {
    return 'died';
  }
}

const wanted = process.argv.slice(2).map(Number);
const rows: string[][] = [];
for (const deployed of DEPLOYED) {
  if (wanted.some((value, column) => deployed[column] !== value)) continue;
  const peaks: string[] = [];
  for (const entities of [...EXTRA_BYTES.map((extraBytes) => ({ extraBytes })), TINY]) {
    peaks.push(await peakOf(...deployed, entities));
  }
  rows.push([`${deployed[0]} MB`, String(deployed[1]), ...peaks]);
}
const sizes = ['Peak, 0.4 kB', 'Peak, 2.5 kB', 'Peak, 20 kB', 'Peak, 2,000,000 at once'];
const head = ['memoryMb', 'concurrency', ...sizes];
process.stdout.write(`${markdown(head, rows)}\n`);
