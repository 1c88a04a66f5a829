import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { bundleFunction } from '../constructs/bundle-function.ts';
import { BUNDLED_FOLDER } from '../constructs/function-code.ts';
import { declareConfig } from './declare-config.ts';

// Makes dist/cdk, the package's `sitecast/cdk`, and the package's own files in dist.

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
const OUT = path.join(DIST, 'cdk');

rmSync(OUT, { recursive: true, force: true });
makeModule();
makeFunctions();
makeDeclarations();
makeCommandLine();
cpSync(path.join(import.meta.dirname, 'manifest.json'), path.join(DIST, 'package.json'));
cpSync(path.join(import.meta.dirname, 'README.md'), path.join(DIST, 'README.md'));
cpSync(path.join(ROOT, 'LICENSE'), path.join(DIST, 'LICENSE'));

/** Like the CDK itself it is CommonJS, which apps of both kinds can load. */
function makeModule(): void {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['infra/package/index.ts'],
    outfile: path.join(OUT, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs', 'esbuild'],
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    logLevel: 'warning',
  });
  writeFileSync(path.join(OUT, 'package.json'), '{ "type": "commonjs" }\n');
}

/** One file with all that it needs, since the package depends on nothing. */
function makeCommandLine(): void {
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['infra/cli/main.ts'],
    outfile: path.join(DIST, 'cli/main.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    minify: true,
    // Errors are told by their names.
    keepNames: true,
    legalComments: 'none',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  });
  chmodSync(path.join(DIST, 'cli/main.cjs'), 0o755);
}

/** Apps need no esbuild. */
function makeFunctions(): void {
  for (const name of ['poll', 'control']) {
    const folder = path.join(OUT, BUNDLED_FOLDER, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, contents] of Object.entries(bundleFunction(name))) {
      writeFileSync(path.join(folder, file), contents);
    }
  }
}

/** Keeps the declarations that the exports need. Those of the config are written without zod. */
function makeDeclarations(): void {
  const compiler = 'node_modules/@typescript/native/bin/tsc';
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.cdk.json'], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const text = readFileSync(path.join(ROOT, 'docs/config.schema.json'), 'utf8');
  const { $defs } = JSON.parse(text) as { $defs: { stage: object } };
  const config = declareConfig($defs.stage, ['account', 'region', 'tags']);
  writeFileSync(path.join(OUT, 'infra/package/notifier-config.d.ts'), config);
  const needed = declarationsFrom(path.join(OUT, 'infra/package/index.d.ts'));
  for (const file of globSync(path.join(OUT, '**/*.d.ts'))) if (!needed.has(file)) rmSync(file);
}

/** A file of declarations, and those that it imports. */
function declarationsFrom(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/ from '(\..*)\.ts'/g)) {
    declarationsFrom(path.resolve(path.dirname(file), `${name}.d.ts`), found);
  }
  return found;
}
