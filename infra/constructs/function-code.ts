import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type * as Esbuild from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Where bundles are kept, by their content. */
const BUNDLES = path.join(ROOT, 'node_modules/.cache/sitecast/bundles');

/** The bundles made in this process, by the function's name. */
const bundled = new Map<string, Files>();

/** Contents by file name. */
type Files = Readonly<Record<string, string | Uint8Array>>;

/** The module that a function's entry becomes, and the export that Lambda calls. */
export const HANDLER = 'index.handler';

/**
 * The code of a function: one ES module, bundled now.
 *
 * @param name folder below `functions`, with a `handler.ts`.
 * @param files are put beside the module.
 */
export function codeOf(name: 'poll', files: Files = {}): Code {
  const bundle = bundled.get(name) ?? makeBundle(name);
  bundled.set(name, bundle);
  return Code.fromAsset(keep({ ...bundle, ...files }));
}

/**
 * Bundles a function. Every start loads the module, so every kB counts; measure it with
 * `npm run bench -- cold-start`.
 */
function makeBundle(name: string): Files {
  const { outputFiles } = esbuild().buildSync({
    absWorkingDir: ROOT,
    entryPoints: [`functions/${name}/handler.ts`],
    outfile: 'index.mjs',
    write: false,
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
    // Saves 117 of 534 kB; no other unused part of the SDK saves more than 20 kB.
    alias: { '@aws-sdk/credential-provider-node': './functions/poll/lambda-credentials.ts' },
    // Saves 15 of 461 kB. The SDK imports it for calls that stream events, and no function makes one.
    external: ['@smithy/core/event-streams'],
  });
  return Object.fromEntries(outputFiles.map((file) => [path.basename(file.path), file.contents]));
}

/** Loaded only when something is bundled. */
function esbuild(): typeof Esbuild {
  return createRequire(import.meta.url)('esbuild') as typeof Esbuild;
}

/**
 * Writes files to a folder named after their content, so that processes do not disturb each other.
 *
 * @returns the folder.
 */
function keep(files: Files): string {
  const hash = createHash('sha256');
  for (const [name, contents] of Object.entries(files)) hash.update(name).update(contents);
  const folder = path.join(BUNDLES, hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const temporary = `${folder}.${process.pid}`;
  mkdirSync(temporary, { recursive: true });
  for (const [name, contents] of Object.entries(files)) {
    writeFileSync(path.join(temporary, name), contents);
  }
  try {
    renameSync(temporary, folder);
  } catch {
    // Another process was faster.
    rmSync(temporary, { recursive: true });
  }
  return folder;
}
