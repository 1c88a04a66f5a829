import { createRequire } from 'node:module';
import path from 'node:path';
import type * as Esbuild from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Contents by file name. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A function in one module. */
export interface Bundle {
  readonly files: Files;
  /** Paths of the source files that are in it, from the repository's root. */
  readonly inputs: readonly string[];
}

/**
 * Bundles a function into one ES module with its source map. Every start loads the module, so every kB counts; measure it with
 * `npm run bench -- cold-start`.
 */
export function bundleFunction(name: string): Bundle {
  const { outputFiles, metafile } = esbuild().buildSync({
    absWorkingDir: ROOT,
    entryPoints: [`functions/${name}/handler.ts`],
    outfile: 'index.mjs',
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
    // The first saves 117 of 534 kB, the second 5 of 452.
    alias: {
      '@aws-sdk/credential-provider-node': './functions/poll/lambda-credentials.ts',
      'mnemonist/lru-cache': './functions/poll/endpoint-cache.ts',
    },
    // Saves 15 of 461 kB. The SDK imports it for calls that stream events, and no function makes one.
    external: ['@smithy/core/event-streams'],
  });
  const files = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
  return { files: Object.fromEntries(files), inputs: inputsOf(metafile) };
}

/** Paths of the files of which something is in a bundle. */
export function inputsOf({ outputs }: Esbuild.Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
}

/** Loaded only when something is bundled. */
function esbuild(): typeof Esbuild {
  return createRequire(import.meta.filename)('esbuild') as typeof Esbuild;
}
