import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Esbuild from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Contents by file name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A function: the module `index.mjs`, and others that it imports. */
export interface Bundle {
  readonly files: Files;
  /** Paths of the source files that are in it, from the repository's root. */
  readonly inputs: readonly string[];
  /** Names of the modules that a start loads; others are loaded when they are needed. */
  readonly loadedAtStart: readonly string[];
}

/**
 * Bundles a function into ES modules with their source maps: what it imports by `import()` becomes a module of its own.
 * Every start loads the others, so every kB of them counts; measure it with `npm run bench -- cold-start`.
 */
export function bundleFunction(name: string): Bundle {
  const { outputFiles, metafile } = esbuild().buildSync({
    absWorkingDir: ROOT,
    entryPoints: [`functions/${name}/handler.ts`],
    outdir: '.',
    entryNames: 'index',
    chunkNames: '[hash]',
    outExtension: { '.js': '.mjs' },
    splitting: true,
    write: false,
    metafile: true,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // By default `main` comes first, and a CommonJS module fails on a dynamic require.
    mainFields: ['module', 'main'],
    minify: true,
    charset: 'utf8',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    // The clients import their package.json only for their version in the user agent.
    loader: { '.json': 'empty' },
  });
  const files = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
  return {
    files: Object.fromEntries(files),
    inputs: inputsOf(metafile),
    loadedAtStart: loadedAtStart(metafile),
  };
}

/** Paths of the files of which something is in a bundle. */
export function inputsOf({ outputs }: Esbuild.Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
}

/** The entry, and what it imports directly or through others. */
function loadedAtStart({ outputs }: Esbuild.Metafile): string[] {
  const names = new Set(['index.mjs']);
  for (const name of names) {
    for (const { path: file, kind } of outputs[name]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[file] !== undefined) names.add(file);
    }
  }
  return [...names];
}

/** Loaded only when something is bundled. */
function esbuild(): typeof Esbuild {
  return createRequire(import.meta.filename)('esbuild') as typeof Esbuild;
}
