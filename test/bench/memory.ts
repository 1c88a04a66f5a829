import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';

const WORKER = fileURLToPath(new URL('memory-worker.ts', import.meta.url));

/** Peak of the memory that a run over so many entities holds on to, in MB, in a process of its own. */
async function peakMb(entities: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    WORKER,
    String(entities),
  ]);
  return Number(stdout) / 1e6;
}

export const memory: Bench = {
  name: 'memory',
  rows: [
    {
      key: 'memoryGrowthMb',
      definition:
        'Peak memory of a run over 1,000,000 changed entities minus that of one over 10,000, each in a process ' +
        'of its own. Memory is what is alive (heap and buffers) after a garbage collection in the middle of ' +
        'publishing a page, when the next page has been read: so the figure shows what a backlog makes grow, ' +
        'not when the collector chose to run.',
      goal: 16,
      unit: 'MB',
    },
  ],
  async measure(scale) {
    const [many, few] = scale === 'full' ? [1_000_000, 10_000] : [10, 10];
    const [large, small] = await Promise.all([peakMb(many), peakMb(few)]);
    return { memoryGrowthMb: large - small };
  },
};
