/**
 * Prints the peak of the resident set of a run over a backlog, by what the poller is deployed with:
 * `node test/bench/cost/peak-memory.ts`. What is near its memory would be killed, and killed again by
 * each further run, since the backlog is still there. Takes a minute or two.
 */
import { markdown } from '../report.ts';
import { runWorker } from './worker/run-worker.ts';

const DEPLOYED: readonly (readonly [memoryMb: number, concurrency: number])[] = [
  [256, 8],
  [384, 8],
  [384, 12],
  [512, 8],
  [512, 12],
  [512, 16],
];

/** Bytes that entities have more than the 425 of a checklist as the service shows it. */
const EXTRA_BYTES = [0, 2_075];

async function peakOf(memoryMb: number, concurrency: number, extraBytes: number): Promise<string> {
  const backlog = { projects: 40, lists: 16, entities: 2_000, extraBytes };
  try {
    const settings = { runs: 1, memoryMb, concurrency, requestsPerMinute: 60_000 };
    const { runs } = await runWorker(backlog, settings);
    return `${Math.round(runs[0]?.peakMb ?? NaN)} MB`;
  } catch {
    return 'died';
  }
}

const rows: string[][] = [];
for (const [memoryMb, concurrency] of DEPLOYED) {
  const peaks: string[] = [];
  for (const extraBytes of EXTRA_BYTES) {
    peaks.push(await peakOf(memoryMb, concurrency, extraBytes));
  }
  rows.push([`${memoryMb} MB`, String(concurrency), ...peaks]);
}
const head = ['memoryMb', 'concurrency', 'Peak, 0.4 kB', 'Peak, 2.5 kB'];
process.stdout.write(`${markdown(head, rows)}\n`);
