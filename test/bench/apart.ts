import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench, Scale } from './bench.ts';
import { judged, type Result } from './registry.ts';

const WORKER = fileURLToPath(new URL('bench-worker.ts', import.meta.url));

/**
 * A measurement's figures, taken in a process of its own: what other measurements made of code and heap
 * before, no poller has in its process.
 */
export async function resultsApart(bench: Bench, scale: Scale = 'full'): Promise<Result[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [WORKER, bench.name, scale]);
  return judged(bench, JSON.parse(stdout) as Readonly<Record<string, number>>);
}
