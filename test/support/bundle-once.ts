import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunction } from '../../infra/constructs/bundle-function.ts';
import { BUNDLES_VARIABLE } from '../../infra/constructs/function-code.ts';

/**
 * Bundles the poller for all tests of a run. Each synthesis in a process of its own would bundle it again, which
 * takes half of its time.
 *
 * @returns what deletes the bundle.
 */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-bundles-'));
  await mkdir(join(folder, 'poll'));
  for (const [name, contents] of Object.entries(bundleFunction('poll'))) {
    await writeFile(join(folder, 'poll', name), contents);
  }
  process.env[BUNDLES_VARIABLE] = folder;
  return () => rm(folder, { recursive: true });
}
