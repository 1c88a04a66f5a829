import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { withVariants, type Edit } from './apply-edit.ts';

/** A deliberate fault in the code. */
export interface Mutant {
  /** The fault in words. */
  readonly name: string;
  readonly edits: readonly Edit[];
}

const CORE = fileURLToPath(new URL('../../../functions/core/', import.meta.url));
const WORKER = fileURLToPath(new URL('../worker.ts', import.meta.url));

/**
 * Bundles a worker with all these mutants, of which `globalThis.mutant` names the one to run. One
 * bundle takes less time than one for each mutant, which would be compiled anew.
 *
 * @throws Error when a file, function or call that an edit names is not there exactly once.
 */
export async function bundleMutants(
  mutants: readonly Mutant[],
): Promise<{ readonly file: URL; readonly remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-mutants-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const outfile = join(folder, 'worker.mjs');
  try {
    await build({
      entryPoints: [WORKER],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      // The built-in lists of tests, as in the rest of the simulation.
      conditions: ['@sitecast/fixture', 'module'],
      plugins: [mutating(mutants)],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { file: pathToFileURL(outfile), remove };
}

function mutating(mutants: readonly Mutant[]): Plugin {
  const files = new Set(mutants.flatMap(({ edits }) => edits.map(({ file }) => file)));
  const missing = [...files].find((file) => !existsSync(join(CORE, file)));
  if (missing !== undefined) throw new Error(`there is no file ${missing}`);
  return {
    name: 'mutants',
    setup: (bundling) => {
      bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = path.replace(CORE, '');
        if (!files.has(file)) return undefined;
        const contents = withVariants(await readFile(path, 'utf8'), file, mutants);
        return { contents, loader: 'ts' };
      });
    },
  };
}
