import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type PluginBuild } from 'esbuild';
import { applyEdit, withVariants, type Edit } from './apply-edit.ts';
import type { Seeds } from './campaign.ts';
import type { Exploration } from './exploration.ts';
import type * as Explore from './explore.ts';
import { withoutStacks } from './without-stacks.ts';

/** A fault that is put into the code on purpose. */
export interface Sabotage {
  /** The fault in words. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The promises that may reveal it. */
  readonly breaks: readonly string[];
}

const CORE = fileURLToPath(new URL('../../functions/core/', import.meta.url));

/** Code with a fault, in a file. */
interface SabotagedFile {
  readonly file: URL;
  /** Deletes it. */
  readonly remove: () => Promise<void>;
}

/**
 * Bundles a worker that simulates code with a fault.
 *
 * @throws Error when a file, function or call that an edit names is not there exactly once.
 */
export function applySabotage(sabotage: Sabotage): Promise<SabotagedFile> {
  return bundle('worker.ts', sabotage.edits, (source, edits) => edits.reduce(applyEdit, source));
}

/** Code with several faults, of which one at a time is there. */
export interface SabotagedCode {
  /** Simulates the histories of the seeds, until one breaks a promise. Without a name, there is no fault. */
  explore(name: string | undefined, seeds: Seeds): Promise<Exploration>;
  /** Deletes its file. */
  readonly remove: () => Promise<void>;
}

/**
 * Bundles the code that the simulation runs with all these faults, and loads it into this process. All of them
 * together take less time than a worker for each, which would compile everything again.
 *
 * @throws Error when a file, function or call that an edit names is not there exactly once.
 */
export async function loadSabotages(sabotages: readonly Sabotage[]): Promise<SabotagedCode> {
  const all = sabotages.flatMap(({ edits }) => edits);
  const { file, remove } = await bundle('explore.ts', all, (source, edits) =>
    withVariants(
      source,
      sabotages
        .map(({ name, edits: own }) => ({
          name,
          edits: own.filter((edit) => edits.includes(edit)),
        }))
        .filter((variant) => variant.edits.length > 0),
    ),
  );
  // Vitest would transform what it imports.
  const code = createRequire(import.meta.url)(fileURLToPath(file)) as typeof Explore;
  return {
    remove,
    async explore(name, { firstSeed, histories, limits }) {
      if (name !== undefined && !sabotages.some((each) => each.name === name))
        throw new Error(`there is no fault ${name}`);
      const global = globalThis as { sabotage?: string | undefined };
      global.sabotage = name;
      try {
        const seeds = Array.from({ length: histories }, (_, i) => firstSeed + i);
        // A simulation never waits, and Vitest has to be answered.
        const simulation = () => setImmediate({});
        return await withoutStacks(() => code.explore(seeds, { ...limits, simulation }));
      } finally {
        global.sabotage = undefined;
      }
    },
  };
}

/** Bundles a module of this folder, with edited files of the core. */
async function bundle(
  entry: string,
  edits: readonly Edit[],
  change: (source: string, edits: readonly Edit[]) => string,
): Promise<SabotagedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-sabotage-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const outfile = join(folder, 'bundle.mjs');
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
      // The built-in lists of tests, as in the rest of the simulation.
      conditions: ['@sitecast/fixture', 'module'],
      plugins: [
        {
          name: 'sabotage',
          setup: (bundling) => {
            changeOnLoad(bundling, edits, change);
          },
        },
      ],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { file: pathToFileURL(outfile), remove };
}

function changeOnLoad(
  bundling: PluginBuild,
  edits: readonly Edit[],
  change: (source: string, edits: readonly Edit[]) => string,
): void {
  const byPath = Map.groupBy(edits, ({ file }) => join(CORE, file));
  const missing = edits.filter(({ file }) => !existsSync(join(CORE, file)));
  if (missing.length > 0) throw new Error(`there is no file ${missing[0]?.file}`);
  bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
    const ofFile = byPath.get(path);
    if (ofFile === undefined) return undefined;
    return { contents: change(await readFile(path, 'utf8'), ofFile), loader: 'ts' };
  });
}
