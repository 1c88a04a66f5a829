import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEFAULTS } from '../fixture/defaults.ts';

const WORKER = fileURLToPath(new URL('worker/parse-worker.ts', import.meta.url));

/** Memory to parse a page of 5 MB of small objects, in MB. */
export interface ParseMemory {
  readonly plainMb: number;
  /** The same with one number that JavaScript cannot hold. */
  readonly exactMb: number;
  /** Maximum of {@link exactMb}: a second value of the page would exceed it. */
  readonly limitMb: number;
}

/** Measures the memory to parse a page, each in a process of its own with the heap that is deployed. */
export async function measureParseMemory(memoryMb = DEFAULTS.memoryMb): Promise<ParseMemory> {
  const peakOf = async (kind: string): Promise<number> => {
    const heap = [
      `--max-old-space-size=${memoryMb / 2}`,
      `--max-semi-space-size=${Math.floor(memoryMb / 128)}`,
    ];
    const { stdout } = await promisify(execFile)(process.execPath, [...heap, WORKER, kind]);
    return Number(stdout);
  };
  const [plainMb, exactMb] = [await peakOf('plain'), await peakOf('exact')];
  return { plainMb, exactMb, limitMb: 1.75 * plainMb };
}
