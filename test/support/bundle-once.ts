import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BUNDLES_VARIABLE,
  bundleFunction,
  FUNCTIONS,
} from '../../infra/construct/function-code.ts';

/** With the built-in lists of tests. Without conditions, esbuild takes `module` itself. */
const CONDITIONS = ['@sitecast/fixture', 'module'];

/**
 * Bundles the functions for all tests of a run. Each synthesis in a process of its own would bundle
 * them again, which takes half of its time.
 *
 * @returns what deletes the bundles.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[BUNDLES_VARIABLE] !== undefined) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-bundles-'));
  for (const name of FUNCTIONS) {
    await mkdir(join(folder, name));
    for (const [file, contents] of Object.entries(bundleFunction(name, CONDITIONS).files)) {
      await writeFile(join(folder, name, file), contents);
    }
  }
  process.env[BUNDLES_VARIABLE] = folder;
  return () => rm(folder, { recursive: true });
}
