import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from '../../infra/local/stack/resolve-template.ts';
import { synthesize } from '../../infra/local/stack/synthesize.ts';
import { medianRatio, type Bench, type Scale } from './bench.ts';

/** As the template sets it. */
const NODE_OPTIONS = '--enable-source-maps --max-semi-space-size=4';

const ADDRESSES = { baseUrl: 'http://localhost:1', authUrl: 'http://localhost:1' };

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
    return await work(
      join(assembly.assetDirectory(pollerKey(assembly.template)), 'index.mjs'),
      empty,
    );
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

async function measure(scale: Scale): Promise<Record<string, number>> {
  return withModules(async (bundle, empty) => ({
    coldStart: await medianRatio(
      scale === 'full' ? 15 : 1,
      () => Promise.resolve(startMs(bundle)),
      () => Promise.resolve(startMs(empty)),
    ),
  }));
}

export const coldStart: Bench = {
  name: 'cold-start',
  rows: [
    {
      key: 'coldStart',
      definition:
        "Start of Node with the poller's bundle, as synthesized for deployment and with the deployed " +
        'NODE_OPTIONS, over its start with an empty module. Median of 15, alternating.',
      goal: 4.5,
    },
  ],
  measure,
};
