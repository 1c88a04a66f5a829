import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type PluginBuild } from 'esbuild';
import { applyEdit, type Edit } from './apply-edit.ts';

/** A fault that is put into the code on purpose. */
export interface Sabotage {
  /** The fault in words. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The promises that may reveal it. */
  readonly breaks: readonly string[];
  /**
   * The first seed to try, default 1. Saves time for faults that few histories reveal.
   */
  readonly firstSeed?: number;
}

const CORE = fileURLToPath(new URL('../../functions/core/', import.meta.url));

/** A worker that simulates code with a fault. */
interface SabotagedWorker {
  readonly worker: URL;
  /** Deletes it. */
  readonly remove: () => Promise<void>;
}

/**
 * Bundles the code that the simulation runs, with the fault.
 *
 * @throws Error when a file, function or call that an edit names is not there exactly once.
 */
export async function applySabotage({ edits }: Sabotage): Promise<SabotagedWorker> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-sabotage-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const outfile = join(folder, 'worker.mjs');
  try {
    await build({
      entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      plugins: [
        {
          name: 'sabotage',
          setup: (bundling) => {
            applyOnLoad(bundling, edits);
          },
        },
      ],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { worker: pathToFileURL(outfile), remove };
}

function applyOnLoad(bundling: PluginBuild, edits: readonly Edit[]): void {
  const byPath = Map.groupBy(edits, ({ file }) => join(CORE, file));
  const missing = edits.filter(({ file }) => !existsSync(join(CORE, file)));
  if (missing.length > 0) throw new Error(`there is no file ${missing[0]?.file}`);
  bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const ofFile = byPath.get(path);
    if (ofFile === undefined) return undefined;
    return { contents: ofFile.reduce(applyEdit, await readFile(path, 'utf8')), loader: 'ts' };
  });
}
