import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Template } from '../../../infra/local/stack/resolve-template.ts';
import { synthesize } from '../../../infra/local/stack/synthesize.ts';
import type { Figures, Scale } from './figures.ts';
import { median, medianRatio } from './measure.ts';

/** As the template sets it. */
const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';

const ADDRESSES = { baseUrl: 'http://localhost:1', authUrl: 'http://localhost:1' };
const CLI = fileURLToPath(new URL('../../../infra/cli/main.ts', import.meta.url));

/** Starts the poller's bundle as deployed, an empty module, and the whole system here. */
export async function measureStarts(scale: Scale): Promise<Figures> {
  const times = scale === 'full' ? 15 : 1;
  const coldStart = await withModules((bundle, empty) =>
    medianRatio(
      times,
      () => Promise.resolve(startMs(bundle)),
      () => Promise.resolve(startMs(empty)),
    ),
  );
  const waits: number[] = [];
  for (let i = 0; i < (scale === 'full' ? 3 : 1); i += 1) waits.push(await secondsToFirstEvent());
  return { coldStart, firstEvent: median(waits) };
}

/** Milliseconds that Node takes to load a module and exit. */
function startMs(file: string): number {
  const start = performance.now();
  execFileSync(process.execPath, [file], { env: { ...process.env, NODE_OPTIONS } });
  return performance.now() - start;
}

/** Synthesizes the deployed bundle, and makes an empty module. */
async function withModules<T>(work: (bundle: string, empty: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'sitecast-bench-'));
  const assembly = await synthesize(ADDRESSES);
  try {
    const empty = join(folder, 'index.mjs');
    writeFileSync(empty, 'export {};\n');
    const code = assembly.assetDirectory(pollerKey(assembly.template));
    return await work(join(code, 'index.mjs'), empty);
  } finally {
    await assembly.remove();
    rmSync(folder, { recursive: true });
  }
}

/** S3 key of the poller's code. */
function pollerKey({ Resources }: Template): string {
  const [, poller] =
    Object.entries(Resources).find(
      ([id, { Type }]) => id.includes('Poller') && Type === 'AWS::Lambda::Function',
    ) ?? [];
  const { S3Key } = (poller?.Properties?.['Code'] ?? {}) as { readonly S3Key?: string };
  if (S3Key === undefined) throw new Error('The template has no poller');
  return S3Key;
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
