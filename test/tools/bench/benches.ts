import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figures, Scale } from './figures.ts';
import { median } from './measure.ts';

interface Bench {
  /** Loaded in the process that measures. */
  readonly load: () => Promise<(scale: Scale) => Promise<Figures>>;
  /** In how many processes it is measured, an odd number: V8 compiles differently in each. */
  readonly processes?: number;
}

/** All measurements by their names on the command line. */
export const BENCHES: Readonly<Record<string, Bench>> = {
  'page-chain': { load: async () => (await import('./page-chain.ts')).measurePageChain },
  cpu: { load: async () => (await import('./cpu.ts')).measureCpu, processes: 5 },
  memory: { load: async () => (await import('./memory.ts')).measureMemory },
  idle: { load: async () => (await import('./idle.ts')).measureIdleTick },
  freshness: { load: async () => (await import('./freshness/freshness.ts')).measureFreshness },
  limited: {
    load: async () => {
      const { measureLimited } = await import('../../cases/limited-service.ts');
      return (scale) => measureLimited(scale === 'full' ? 180 : 20);
    },
  },
  start: { load: async () => (await import('./start.ts')).measureStarts },
  month: { load: async () => (await import('./cost/month.ts')).measureMonth },
};

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));

/** The figures of a measurement, taken in processes of their own: fresh code and heap. */
export async function measureApart(name: string, scale: Scale = 'full'): Promise<Figures> {
  const all: Record<string, number>[] = [];
  const times = scale === 'full' ? (BENCHES[name]?.processes ?? 1) : 1;
  for (let i = 0; i < times; i += 1) {
    const args = ['--expose-gc', WORKER, name, scale];
    // Tests set options, of which the lists of tests are one.
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    all.push(JSON.parse(stdout.slice(stdout.lastIndexOf('{'))) as Record<string, number>);
  }
  const keys = Object.keys(all[0] ?? {});
  return Object.fromEntries(
    keys.map((key) => [key, median(all.map((figures) => figures[key] ?? NaN))]),
  );
}
