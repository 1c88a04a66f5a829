import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import {
  bundleFunction,
  BUNDLES_VARIABLE,
  FUNCTIONS,
  inputsOf,
} from '../construct/function-code.ts';
import { bundlePage } from '../local/console/server/bundle-page.ts';
import { declareConfig } from './declare-config.ts';
import manifests from './manifests.json' with { type: 'json' };
import { writeTemplates } from './shipped-templates.ts';
import { thirdPartyNotices } from './third-party.ts';
import root from '#manifest' with { type: 'json' };

// Makes what npm publishes: the packages in dist/sitecast and dist/sitecast-events.

const ROOT = path.resolve(import.meta.dirname, '../..');
const SITECAST = path.join(ROOT, 'dist/sitecast');
const EVENTS = path.join(ROOT, 'dist/sitecast-events');
const TYPES = path.join(ROOT, 'dist/types');

/** Emulators of AWS that keep their data in memory: not every Node.js has what would keep them. */
const emulatorsInMemory: Plugin = {
  name: 'emulators-in-memory',
  setup: (bundling) => {
    bundling.onLoad({ filter: /\/fauxqs\/dist\/persistence\.js$/ }, () => ({
      contents: 'export class PersistenceManager {}',
    }));
    // It requires the file of an action by its name, without the extension that bundles need.
    bundling.onLoad({ filter: /\/dynalite\/index\.js$/ }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8').replaceAll("s/' + action)", "s/' + action + '.js')"),
    }));
  },
};

rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
const inputs = [
  ...makeFunctions(),
  ...(await makeConstruct()),
  ...(await makeProgram()),
  ...(await makePage()),
];
await writeTemplates(SITECAST);
const inputsOfEvents = await makeEvents();
makeDeclarations();
finish(SITECAST, path.join(import.meta.dirname, 'README.md'), inputs);
finish(EVENTS, path.join(ROOT, 'docs/events/README.md'), inputsOfEvents);

/** The construct and the local stack find them here: apps need no esbuild. */
function makeFunctions(): string[] {
  const bundles = path.join(SITECAST, 'functions');
  const all = FUNCTIONS.flatMap((name) => {
    mkdirSync(path.join(bundles, name), { recursive: true });
    const bundle = bundleFunction(name);
    for (const [file, contents] of Object.entries(bundle.files)) {
      writeFileSync(path.join(bundles, name, file), contents);
    }
    return inputsOf(bundle.metafile);
  });
  // The synthesis of the templates takes them, too.
  process.env[BUNDLES_VARIABLE] = bundles;
  return all;
}

/** Like the CDK itself it is CommonJS, which apps of both kinds can load. */
async function makeConstruct(): Promise<string[]> {
  const folder = path.join(SITECAST, 'cdk');
  const made = await bundle({
    entryPoints: ['infra/package/index.ts'],
    outfile: path.join(folder, 'index.js'),
    format: 'cjs',
    external: ['aws-cdk-lib', 'constructs', 'esbuild'],
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  });
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  return made;
}

/** The program, and the process of its functions. */
async function makeProgram(): Promise<string[]> {
  const folder = path.join(SITECAST, 'cli');
  const made = await bundle({
    entryPoints: ['infra/package/sitecast.ts', 'infra/local/lambda/bootstrap.ts'],
    entryNames: '[name]',
    outdir: folder,
    format: 'esm',
    splitting: true,
    // By default `main` comes first, and a CommonJS module fails on a dynamic require.
    mainFields: ['module', 'main'],
    conditions: ['@sitecast/package', 'module'],
    // For what CommonJS modules require of Node.js.
    banner: {
      js: `import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);`,
    },
    alias: { level: 'memory-level' },
    plugins: [emulatorsInMemory],
    external: ['#manifest'],
  });
  chmodSync(path.join(folder, 'sitecast.js'), 0o755);
  return made;
}

/** The page of the console. */
async function makePage(): Promise<string[]> {
  const { files, metafile } = await bundlePage();
  writeFileSync(path.join(SITECAST, 'console.json'), JSON.stringify(files));
  return inputsOf(metafile).map((file) => file.replace(/^.*(?=node_modules\/)/, ''));
}

/** The package of subscribers, with the contract for machines. */
function makeEvents(): Promise<string[]> {
  cpSync(path.join(ROOT, 'docs/events'), EVENTS, { recursive: true });
  return bundle({
    entryPoints: ['functions/core/contract/index.ts'],
    outfile: path.join(EVENTS, 'index.js'),
    format: 'esm',
  });
}

/** @returns its inputs. */
async function bundle(options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({
    ...{ absWorkingDir: ROOT, bundle: true, platform: 'node', target: 'node22.12' },
    ...{ logLevel: 'warning', metafile: true, ...options },
  });
  if (metafile === undefined) throw new Error('esbuild made no metafile');
  return inputsOf(metafile);
}

/** Copies the declarations that the exports need. Those of the config are written without zod. */
function makeDeclarations(): void {
  const compiler = 'node_modules/@typescript/native/bin/tsc';
  const args = [compiler, '-p', 'tsconfig.package.json'];
  const { status } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const text = readFileSync(path.join(ROOT, 'docs/config.schema.json'), 'utf8');
  const { $defs } = JSON.parse(text) as { $defs: { stage: object } };
  const config = declareConfig($defs.stage, ['account', 'region']);
  writeFileSync(path.join(TYPES, 'infra/construct/notifier-config.d.ts'), config);
  copyDeclarations(path.join(SITECAST, 'cdk'), '.', 'infra/package/index.d.ts');
  copyDeclarations(EVENTS, 'functions/core', 'contract/index.d.ts');
  rmSync(TYPES, { recursive: true });
}

/** Copies a file of declarations, and those that it imports. */
function copyDeclarations(to: string, from: string, file: string, copied = new Set<string>()) {
  if (copied.has(file)) return;
  copied.add(file);
  const source = path.join(TYPES, from, file);
  cpSync(source, path.join(to, file));
  for (const [, name = ''] of readFileSync(source, 'utf8').matchAll(/ from '(\..*)\.ts'/g)) {
    copyDeclarations(to, from, path.join(path.dirname(file), `${name}.d.ts`), copied);
  }
}

/** The manifest of a package, with the versions of the repository. */
function manifestOf(name: keyof typeof manifests): object {
  const { version, license, devDependencies } = root;
  const { peerDependencies, ...manifest } = { peerDependencies: {}, ...manifests[name] };
  const peers = { 'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`, ...peerDependencies };
  return { version, license, ...manifest, ...(name === 'sitecast' && { peerDependencies: peers }) };
}

/** Adds what every package has. */
function finish(folder: string, readme: string, bundled: readonly string[]): void {
  const manifest = manifestOf(path.basename(folder) as keyof typeof manifests);
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(path.join(folder, 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(bundled, ROOT));
  cpSync(readme, path.join(folder, 'README.md'));
  cpSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
}
