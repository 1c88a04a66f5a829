import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type * as Esbuild from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where bundles are kept, by their content: below the folder of cdk.json. */
const BUNDLES = path.resolve('node_modules/.cache/sitecast/bundles');

/** The package has its functions here, from its module; a clone has no such folder. */
export const BUNDLED_FOLDER = '../functions';

/** Names a folder of bundles for a clone: its tests synthesize dozens of times, and bundle once. */
export const BUNDLES_VARIABLE = 'SITECAST_BUNDLES';

/** The module that a function's entry becomes, and the export that Lambda calls. */
export const HANDLER = 'index.handler';

/** Folders below `functions` with a `handler.ts`. */
export const FUNCTIONS = ['poll', 'control', 'deliver'] as const;

export type FunctionName = (typeof FUNCTIONS)[number];

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A function: the module `index.mjs`, and others that it imports. */
export interface Bundle {
  readonly files: Files;
  /** Which source files are in which module, and which modules it imports. */
  readonly metafile: Esbuild.Metafile;
}

/** The bundles of this process, by the function's name. */
const bundled = new Map<string, Files>();

/** The code of a function: ES modules, bundled now or with the package, and other files. */
export function codeOf(name: FunctionName, files: Files = {}): Code {
  const bundle = bundled.get(name) ?? readBundle(name) ?? bundleFunction(name).files;
  bundled.set(name, bundle);
  return Code.fromAsset(keep({ ...bundle, ...files }));
}

/**
 * Bundles a function into ES modules with their source maps: what it imports by `import()` becomes
 * a module of its own. Every start loads the others, so every kB of them counts; measure it with
 * `npm run bench -- start`.
 *
 * @param conditions of package.json by which imports are resolved, for tests. Default: those of
 *   esbuild.
 */
export function bundleFunction(name: FunctionName, conditions?: string[]): Bundle {
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
    ...(conditions && { conditions }),
    minify: true,
    charset: 'utf8',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'none',
    define: { 'process.env.SITECAST_VERSION': JSON.stringify(readVersion()) },
    // The clients import their package.json only for their version in the user agent.
    loader: { '.json': 'empty' },
  });
  const files = outputFiles.map((file) => [path.basename(file.path), file.contents] as const);
  return { files: Object.fromEntries(files), metafile };
}

/** Of Sitecast: the package's. */
function readVersion(): string {
  const manifest = readFileSync(path.join(ROOT, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
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

/** Reads a function that was bundled before: when the package was built, or the tests began. */
function readBundle(name: string): Files | undefined {
  const folder = [path.join(import.meta.dirname, BUNDLED_FOLDER), process.env[BUNDLES_VARIABLE]]
    .flatMap((bundles) => (bundles === undefined ? [] : path.join(bundles, name)))
    .find((each) => existsSync(each));
  if (folder === undefined) return undefined;
  const files = readdirSync(folder);
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file))]));
}

/** Writes files to a folder named after their content: processes do not disturb each other. */
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
