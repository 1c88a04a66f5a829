import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFunction } from '../../../infra/construct/function-code.ts';
import type { Figures, Scale } from './figures.ts';
import { median, medianRatio } from './measure.ts';

/** As the template sets it. */
const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';

const CLI = fileURLToPath(new URL('../../../infra/cli/main.ts', import.meta.url));

/** Starts the poller's bundle as deployed, an empty module, and the whole system here. */
export async function measureStarts(scale: Scale): Promise<Figures> {
  const [starts, waits] = scale === 'full' ? [15, 3] : [1, 1];
  const seconds: number[] = [];
  for (let i = 0; i < waits; i += 1) seconds.push(await secondsToFirstEvent());
  return { coldStart: await measureColdStart(starts), firstEvent: median(seconds) };
}

async function measureColdStart(times: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'sitecast-bench-'));
  try {
    const { files } = bundleFunction('poll');
    for (const [name, content] of Object.entries({ ...files, 'empty.mjs': 'export {};\n' })) {
      writeFileSync(join(folder, name), content);
    }
    const start = (name: string) => () => Promise.resolve(startMs(join(folder, name)));
    return await medianRatio(times, start('index.mjs'), start('empty.mjs'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Milliseconds that Node takes to load a module and exit. */
function startMs(file: string): number {
  const start = performance.now();
  execFileSync(process.execPath, [file], { env: { ...process.env, NODE_OPTIONS } });
  return performance.now() - start;
}

/** As `npm start -- --json`: the first line of standard output is the first event. */
async function secondsToFirstEvent(): Promise<number> {
  const start = performance.now();
  const dev = spawn(process.execPath, [CLI, 'dev', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(dev.stdout, 'data');
  const seconds = (performance.now() - start) / 1000;
  dev.kill('SIGINT');
  dev.stdout.resume();
  await once(dev, 'exit');
  return seconds;
}
