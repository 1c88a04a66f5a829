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
import path from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleFunction, type Files } from './bundle-function.ts';

/** Where bundles are kept, by their content: below the folder of cdk.json. */
const BUNDLES = path.resolve('node_modules/.cache/sitecast/bundles');

/** The package has its functions here, beside its module; a clone has no such folder. */
export const BUNDLED_FOLDER = 'bundles';

/** The bundles of this process, by the function's name. */
const bundled = new Map<string, Files>();

/** The module that a function's entry becomes, and the export that Lambda calls. */
export const HANDLER = 'index.handler';

/** Folders below `functions` with a `handler.ts`. */
export const FUNCTIONS = ['poll', 'control', 'deliver'] as const;

/**
 * The code of a function: one ES module, bundled now, or with the package.
 *
 * @param files are put beside the module.
 */
export function codeOf(name: (typeof FUNCTIONS)[number], files: Files = {}): Code {
  const bundle = bundled.get(name) ?? readBundle(name) ?? bundleFunction(name).files;
  bundled.set(name, bundle);
  return Code.fromAsset(keep({ ...bundle, ...files }));
}

/** Names a folder of bundles for a clone: its tests synthesize dozens of times, and bundle once. */
export const BUNDLES_VARIABLE = 'SITECAST_BUNDLES';

/** Reads a function that was bundled before: when the package was built, or the tests began. */
function readBundle(name: string): Files | undefined {
  const folder = [path.join(import.meta.dirname, BUNDLED_FOLDER), process.env[BUNDLES_VARIABLE]]
    .flatMap((bundles) => (bundles === undefined ? [] : path.join(bundles, name)))
    .find((each) => existsSync(each));
  if (folder === undefined) return undefined;
  const files = readdirSync(folder);
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file))]));
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
