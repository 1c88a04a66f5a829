import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { transform } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as SitecastCdk from '../infra/package/index.ts';
import { contextOfCdkJson, templateOf } from './infra/synthesize.ts';
import { ADDRESSES } from './support/config-samples.ts';
import { eventOf } from './support/samples.ts';
import { typeCheck } from './support/type-check.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');

/** Node.js that runs the installed package: the workflow names each that the package promises. */
const NODE = process.env['PACKAGE_NODE'] ?? process.execPath;
/** Finds that Node.js first, also by the command's first line. */
const PATH = [dirname(NODE), process.env['PATH']].join(delimiter);

/** Code of a subscriber in another repository. */
const CONSUMER = `
import {
  consume, initialLoad, InvalidChangeEventError, isClaimCheck, isNewer, parseChangeEvent,
  resolveClaimCheck, verifyMirror, versionOf,
  type ChangeEvent, type ChangeEventOf, type EntityVersion, type Floorplan,
} from 'sitecast/events';

declare const process: { readonly argv: readonly string[] };
declare const console: { log(what: unknown): void };

const rename = ({ data }: ChangeEventOf<'floorplan.updated'>): string =>
  \`\${data.previous?.name} becomes \${data.object.name}\`;

export const said = (event: ChangeEvent): string => {
  switch (event.type) {
    case 'floorplan.updated':
      return rename(event);
    case 'floorplan.deleted': {
      const gone: Floorplan = event.data.object;
      return String(gone.id);
    }
    default: {
      const type: string = event.type;
      return type;
    }
  }
};

const mirror = new Map<string, EntityVersion>();
const save = (version: EntityVersion): Promise<void> => {
  if (isNewer(version, mirror.get(version.subject))) mirror.set(version.subject, version);
  return Promise.resolve();
};
const bytesOf = (text: string): ArrayBuffer =>
  Uint8Array.from([...text].map((character) => character.charCodeAt(0))).buffer;
/** The service: one floorplan of one project, as fetch would return it. */
const get = (url: string) => Promise.resolve({
  status: 200,
  headers: { get: (name: string) => (name === 'X-Has-More' ? 'false' : null) },
  arrayBuffer: () => Promise.resolve(bytesOf(JSON.stringify(
    [{ id: 'p1', name: 'Tower', updated_at: '2020-01-01T00:00:00.000Z' }].filter(() => url.endsWith('projects')),
  ))),
});

/** Loads, consumes one message, and verifies. */
const mirrorOf = async (text: string): Promise<string> => {
  const lists = { source: 'https://service.example/api/v3', get };
  const signal = { aborted: false };
  await initialLoad({ ...lists, save });
  await consume({
    receive: () => Promise.resolve([{ Body: text }]),
    handle: (event) => save(versionOf(event)),
    remove: () => Promise.resolve((signal.aborted = true)),
    readTextAt: () => Promise.reject(new Error('read')),
    onError: (error) => { throw error; },
    pause: () => Promise.resolve(),
    signal,
  });
  const find = (_: string, subject: string) => Promise.resolve(mirror.get(subject));
  const { differences } = await verifyMirror({ ...lists, find, changedBefore: '2030-01-01T00:00:00Z' });
  return [...mirror.keys(), differences.length].join(' ');
};

try {
  if (process.argv[3] === 'mirror') console.log(await mirrorOf(process.argv[2] ?? ''));
  const event = parseChangeEvent(process.argv[2] ?? '');
  if (isClaimCheck(event)) throw new Error(event.dataref);
  console.log(said(await resolveClaimCheck(event, () => Promise.reject(new Error('read')))));
} catch (error) {
  console.log(error instanceof InvalidChangeEventError ? error.message : error);
}
`;

let folder: string;
let packed: string[];

/** Builds and packs the package as npm does, and installs it alone into an empty project. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitecast-package-'));
  // Its compiler takes less CPU when it seldom collects garbage.
  await run('npm', ['run', 'build'], { cwd: ROOT, env: { ...process.env, GOGC: '400' } });
  const { stdout } = await run(
    'npm',
    ['pack', './dist', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: ROOT },
  );
  const [archive] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  packed = archive?.files.map(({ path }) => path) ?? [];
  const installed = join(folder, 'node_modules/sitecast');
  await mkdir(installed, { recursive: true });
  const file = join(folder, archive?.filename ?? '');
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', installed]);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeProgram('consumer', CONSUMER);
});

/** The app of docs/examples, in a project that has the CDK. */
beforeAll(async () => {
  for (const name of ['aws-cdk-lib', 'constructs']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  await writeProgram('cdk-app', await readFile(join(ROOT, 'docs/examples/cdk-app.ts'), 'utf8'));
});

/** Writes a program to be type-checked, and as JavaScript: not every Node.js strips types. */
async function writeProgram(name: string, source: string): Promise<void> {
  const { code } = await transform(source, { loader: 'ts', format: 'esm' });
  await writeFile(join(folder, `${name}.ts`), source);
  await writeFile(join(folder, `${name}.js`), code);
}

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Type-checks a file as a project of its own. @returns the files that were read, relative to the folder. */
async function filesOf(file: string, options: Readonly<Record<string, unknown>>) {
  const project = await mkdtemp(join(folder, 'project-'));
  const compilerOptions = { ...options, listFiles: true };
  const text = JSON.stringify({ compilerOptions, files: [`../${file}`] });
  await writeFile(join(project, 'tsconfig.json'), text);
  const read = (await typeCheck(project)).trimEnd().split('\n');
  return read.map((path) => relative(folder, path));
}

// Concurrent, since each test waits for a process.
describe.concurrent('the package', () => {
  it('holds the contract with its documents, the construct with its functions, the command line, and nothing else', () => {
    const documents =
      /^(README\.md|LICENSE|THIRD-PARTY-NOTICES\.txt|package\.json|events\/(README\.md|asyncapi\.json|schemas\.json|schemas\/.*))$/;
    const others = packed.filter((path) => !documents.test(path) && !path.endsWith('.d.ts'));
    // Modules that a function loads when they are needed.
    const chunk = /^cdk\/bundles\/\w+\/[A-Z\d]{8}\.mjs(\.map)?$/;
    expect(others.filter((path) => !chunk.test(path)).sort()).toEqual([
      'cdk/bundles/control/index.mjs',
      'cdk/bundles/control/index.mjs.map',
      'cdk/bundles/deliver/index.mjs',
      'cdk/bundles/deliver/index.mjs.map',
      'cdk/bundles/poll/index.mjs',
      'cdk/bundles/poll/index.mjs.map',
      'cdk/index.js',
      'cdk/package.json',
      'cli/main.cjs',
      'events/index.js',
    ]);
    expect(packed).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'events/README.md', 'events/schemas.json']),
    );
    const declarations = packed.filter((path) => /^cdk\/.*\.d\.ts$/.test(path));
    expect(declarations).toHaveLength(6);
    expect(packed).not.toContain('events/contract/schemas.d.ts');
  });

  it('brings nothing, runs nothing when it is installed, and has the version of the project', async () => {
    const read = async (file: string) =>
      JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    const manifest = await read(join(folder, 'node_modules/sitecast/package.json'));
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(scripts|(optionalD|d)ependencies)$/)]),
    );
    // Subscribers do without the CDK: npm installs no optional peer.
    const { peerDependencies, peerDependenciesMeta } = manifest;
    const peers = Object.keys(peerDependencies as object);
    expect(peers).toEqual(['aws-cdk-lib', 'constructs']);
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
    );
    const { version, license, devDependencies } = await read(join(ROOT, 'package.json'));
    expect(manifest).toMatchObject({ name: 'sitecast', version, license });
    // No older version is tried.
    const { 'aws-cdk-lib': tested } = devDependencies as Record<string, string>;
    expect(peerDependencies).toMatchObject({ 'aws-cdk-lib': `^${tested}` });
    const code = await readFile(join(folder, 'node_modules/sitecast/events/index.js'), 'utf8');
    expect(code).not.toMatch(/^(import|export) .*from /m);
  });

  it('has the contract for machines to be imported', () => {
    const { resolve } = createRequire(join(folder, 'consumer.ts'));
    for (const file of ['schemas.json', 'schemas/floorplan.updated.json', 'asyncapi.json']) {
      const path = join(folder, 'node_modules/sitecast/events', file);
      expect(resolve(`sitecast/${file}`)).toBe(path);
    }
  });

  it('brings the command sitecast', async () => {
    const installed = join(folder, 'node_modules/sitecast');
    const { bin, version } = JSON.parse(
      await readFile(join(installed, 'package.json'), 'utf8'),
    ) as { bin: { sitecast: string }; version: string };
    const sitecast = join(installed, bin.sitecast);
    const { stdout } = await run(sitecast, ['--version'], { env: { ...process.env, PATH } });
    expect(stdout).toBe(`${version}\n`);
    const env = {
      ...{ PATH, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
      ...{ AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
    };
    await expect(
      run(sitecast, ['status', '--stage', 'prod'], { env, cwd: folder }),
    ).rejects.toThrow('The stack Sitecast-prod cannot be looked up: there are no AWS credentials.');
  });

  it('names each package that it contains, with its licence', async () => {
    const installed = join(folder, 'node_modules/sitecast');
    const read = (file: string) => readFile(join(installed, file), 'utf8');
    const maps = packed.filter((path) => /^cdk\/bundles\/.*\.map$/.test(path));
    const mapped = (await Promise.all(maps.map(read))).flatMap(
      (map) => (JSON.parse(map) as { sources: string[] }).sources,
    );
    // Esbuild names the source of each part that is not minified.
    const modules = ['cdk/index.js', 'cli/main.cjs', 'events/index.js'];
    const parts = (await Promise.all(modules.map(read))).flatMap((code) =>
      [...code.matchAll(/^\s*\/\/ (\S*node_modules\/\S+)$/gm)].map(([, source = '']) => source),
    );
    const names = new Set(
      [...mapped, ...parts].flatMap(
        (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
      ),
    );
    expect([...names]).toEqual(expect.arrayContaining(['zod', '@smithy/core', 'p-queue']));
    const notices = await read('THIRD-PARTY-NOTICES.txt');
    const named = [...notices.matchAll(/^(\S+) \d\S* \(\S+\)$/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual([...names].sort());
    expect(notices).toMatch(/^Permission is hereby granted, free of charge/m);
    expect(notices).toContain('Apache License');
  });

  it('is not packed by mistake with what the project depends on', async () => {
    // What npm runs before it packs, and npm itself takes ten times as long.
    const packing = run(process.execPath, ['--run', 'prepack'], { cwd: ROOT });
    await expect(packing).rejects.toThrow('npm run build && npm pack ./dist');
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])(
    'type-checks in a strict project with module resolution %s, alone',
    async (moduleResolution, module) => {
      const options = {
        ...{ module, moduleResolution },
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2024',
        lib: ['es2024'],
        types: [],
      };
      const read = await filesOf('consumer.ts', options);
      expect(read).toContain('node_modules/sitecast/events/contract/index.d.ts');
      expect(read.filter((file) => file.includes('zod'))).toEqual([]);
    },
  );

  it('reads an event and keeps a mirror in plain Node', async () => {
    const read = async (...args: string[]) =>
      (await run(NODE, ['consumer.js', ...args], { cwd: folder })).stdout;
    const text = JSON.stringify(eventOf('f1'));
    expect(await read(text)).toBe('South becomes North\n');
    expect(await read(text, 'mirror')).toBe(
      '/projects/p1 /projects/p1/floorplans/f1 0\nSouth becomes North\n',
    );
    expect(await read('{"specversion":"0.3","type":"floorplan.updated"}')).toBe(
      'specversion is "0.3"; allowed: "1.0"\n',
    );
  });
});

/** Without names that are made of the construct's place in the app, and of the code. */
const withoutNames = (text: string): string =>
  text
    .replaceAll('BuildingSite/Notifier', 'sitecast-test')
    .replaceAll(/[0-9a-f]{64}\.zip/g, 'code.zip')
    .replaceAll(/\w+-Notifier-Poller-ScheduleGroup-\w+/g, 'group');

describe.concurrent('the construct of the package', () => {
  it('loads in CommonJS, as the contract does', async () => {
    const program = `
      const { parseChangeEvent } = require('sitecast/events');
      const { ChangeNotifier } = require('sitecast/cdk');
      console.log(typeof parseChangeEvent, typeof ChangeNotifier, process.version);
    `;
    await writeFile(join(folder, 'consumer.cjs'), program);
    const { stdout } = await run(NODE, ['consumer.cjs'], { cwd: folder });
    const { stdout: version } = await run(NODE, ['--version']);
    expect(stdout).toBe(`function function ${version}`);
  });

  it('type-checks in a strict CDK app', async () => {
    const options = {
      strict: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      types: [],
      // Its index has the types of all services.
      paths: { 'aws-cdk-lib': ['../node_modules/aws-cdk-lib/core/index.d.ts'] },
    };
    expect(await filesOf('cdk-app.ts', options)).toContain(
      'node_modules/sitecast/cdk/infra/package/index.d.ts',
    );
  });

  it('synthesizes what the stack of this repository has, and what the app adds', async () => {
    const outdir = join(folder, 'cdk.out');
    const { notifier, ...flags } = contextOfCdkJson();
    const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(flags) };
    await run(NODE, ['cdk-app.js'], { cwd: folder, env });
    const text = await readFile(join(outdir, 'BuildingSite.template.json'), 'utf8');
    const { Resources } = JSON.parse(withoutNames(text)) as { Resources: Record<string, Resource> };
    const config = { requestsPerMinute: 300, monitoring: 'full' };
    const own = JSON.parse(withoutNames(JSON.stringify(templateOf(config).toJSON()))) as {
      Resources: Record<string, Resource>;
    };
    const ids = Object.keys(own.Resources);
    // The dashboard also shows the subscribers that the app adds, and the schedule waits for them.
    const isSchedule = (id: string) => /^NotifierPollerSchedule[0-9A-F]{8}$/.test(id);
    const isDashboard = (id: string) => /^NotifierMonitoringDashboard/.test(id);
    const sharedIds = ids.filter((id) => !isDashboard(id) && !isSchedule(id));
    const pick = (from: object) =>
      Object.fromEntries(Object.entries(from).filter(([id]) => sharedIds.includes(id)));
    expect(pick(Resources)).toEqual(pick(own.Resources));
    const dashboard = JSON.stringify(Resources[ids.find(isDashboard) ?? '']);
    expect(dashboard).toContain('dead letters of orders');
    const added = Object.keys(Resources).filter((id) => !ids.includes(id));
    const types = added.map((id) => Resources[id]?.Type);
    const count = (pattern: RegExp) => added.filter((id) => pattern.test(id)).length;
    expect(count(/^NotifierSubscriberssqs[0-9a-f]{12}DeadLetters[0-9A-F]{8}$/)).toBe(1);
    expect(count(/^NotifierMonitoringDeadLettersorders/)).toBe(1);
    expect(count(/^NotifierMonitoringRedriveFailed/)).toBe(1);
    expect(types.filter((type) => type === 'AWS::SNS::Subscription')).toHaveLength(2);
    expect(Object.values(Resources)).toContainEqual(
      expect.objectContaining({
        Type: 'AWS::CloudWatch::Alarm',
        Properties: expect.objectContaining({
          Namespace: 'Sitecast',
          MetricName: 'EventsPublished',
          Dimensions: [{ Name: 'service', Value: 'sitecast-test' }],
        }) as unknown,
      }),
    );
  });

  it.each<[string, object, string]>([
    ['a wrong value', { perPage: 0 }, 'config.perPage is 0; allowed: a whole number of entities'],
    ['an unknown field', { perPages: 5 }, 'config.perPages is not known'],
    [
      'a key of another region',
      { kmsKeyArn: `arn:aws:kms:eu-west-1:210987654321:key/${'0'.repeat(32)}` },
      'allowed: an ARN in the region of the stack, eu-central-1',
    ],
  ])('names %s in the config, and the construct, also to CommonJS', (_, fields, message) => {
    const load = createRequire(join(folder, 'consumer.ts'));
    const { ChangeNotifier, ConfigInvalidError } = load('sitecast/cdk') as typeof SitecastCdk;
    const stack = new Stack(new App({ outdir: folder }), 'Shop', {
      env: { account: '210987654321', region: 'eu-central-1' },
    });
    let error: unknown;
    try {
      new ChangeNotifier(stack, 'Changes', { config: { ...ADDRESSES, ...fields } });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigInvalidError);
    expect(String(error)).toContain('The config of Shop/Changes is invalid:\n  config.');
    expect(String(error)).toContain(message);
  });
});

interface Resource {
  readonly Type: string;
}
