import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Bench, type Scale } from './bench.ts';
import { judged, type Result } from './registry.ts';

const WORKER = fileURLToPath(new URL('bench-worker.ts', import.meta.url));

type Figures = Readonly<Record<string, number>>;

/**
 * A measurement's figures, taken in processes of their own: what other measurements made of code and heap
 * before, no poller has in its process.
 */
export async function resultsApart(bench: Bench, scale: Scale = 'full'): Promise<Result[]> {
  const all: Figures[] = [];
  for (let i = 0; i < (bench.processes ?? 1); i += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [WORKER, bench.name, scale]);
    all.push(JSON.parse(stdout) as Figures);
  }
  const keys = Object.keys(all[0] ?? {});
  const middle = keys.map((key) => [key, median(all.map((figures) => figures[key] ?? NaN))]);
  return judged(bench, Object.fromEntries(middle) as Figures);
}
