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
import { bundleFunction, inputsOf } from '../construct/function-code.ts';
import { BUNDLED_FOLDER, FUNCTIONS } from '../construct/function-code.ts';
import { declareConfig } from './declare-config.ts';
import { thirdPartyNotices } from './third-party.ts';

// Makes dist/cdk, the package's `sitecast/cdk`, and the package's own files in dist.

const ROOT = path.resolve(import.meta.dirname, '../..');
const DIST = path.join(ROOT, 'dist');
const OUT = path.join(DIST, 'cdk');

rmSync(OUT, { recursive: true, force: true });
const inputs = [...makeModule(), ...makeFunctions(), ...makeCommandLine(), ...inputsOfEvents()];
makeDeclarations();
writeFileSync(path.join(DIST, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(inputs, ROOT));
cpSync(path.join(import.meta.dirname, 'manifest.json'), path.join(DIST, 'package.json'));
cpSync(path.join(import.meta.dirname, 'README.md'), path.join(DIST, 'README.md'));
cpSync(path.join(ROOT, 'LICENSE'), path.join(DIST, 'LICENSE'));

/** Like the CDK itself it is CommonJS, which apps of both kinds can load. @returns its inputs. */
function makeModule(): string[] {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['infra/package/index.ts'],
    outfile: path.join(OUT, 'index.js'),
    bundle: true,
    platform: 'node',
    target: 'node22.12',
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs', 'esbuild'],
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
    logLevel: 'warning',
    metafile: true,
  });
  writeFileSync(path.join(OUT, 'package.json'), '{ "type": "commonjs" }\n');
  return inputsOf(metafile);
}

/** One file with all that it needs, since the package depends on nothing. @returns its inputs. */
function makeCommandLine(): string[] {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['infra/package/sitecast.ts'],
    outfile: path.join(DIST, 'cli/main.cjs'),
    // CommonJS has no import.meta.
    define: { 'import.meta.dirname': '__dirname' },
    bundle: true,
    platform: 'node',
    target: 'node22.12',
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
    metafile: true,
  });
  chmodSync(path.join(DIST, 'cli/main.cjs'), 0o755);
  return inputsOf(metafile);
}

/** Apps need no esbuild. @returns the inputs of all. */
function makeFunctions(): string[] {
  return FUNCTIONS.flatMap((name) => {
    const folder = path.join(OUT, BUNDLED_FOLDER, name);
    mkdirSync(folder, { recursive: true });
    const bundle = bundleFunction(name);
    for (const [file, contents] of Object.entries(bundle.files)) {
      writeFileSync(path.join(folder, file), contents);
    }
    return inputsOf(bundle.metafile);
  });
}

/** Of `sitecast/events`, which build:events makes. */
function inputsOfEvents(): string[] {
  const { metafile } = buildSync({
    absWorkingDir: ROOT,
    entryPoints: ['functions/core/contract/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    metafile: true,
  });
  return inputsOf(metafile);
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
  const config = declareConfig($defs.stage, ['account', 'region']);
  writeFileSync(path.join(OUT, 'infra/construct/notifier-config.d.ts'), config);
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
