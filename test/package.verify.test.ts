import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { App, Stack } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type * as SitecastCdk from '../infra/package/index.ts';
import { contextOfCdkJson, templateOf } from './infra/synthesize.ts';
import { ADDRESSES } from './support/config-samples.ts';
import { deadAddress } from './support/local-server.ts';
import {
  buildPackages,
  install,
  link,
  makeProject,
  readExample,
  readManifest,
  typeCheckFile,
  writeProgram,
} from './support/packages.ts';
import { startCli } from './support/run-cli.ts';
import { eventOf } from './support/samples.ts';

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
} from 'sitecast-events';

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

/** Time for a process to write what is awaited. */
const WAIT = { timeout: 60_000 };

/** A receiver of webhooks, from the example of the docs. */
const RECEIVER = `
import { parseChangeEvent } from 'sitecast-events';
import { makeWebhookReceiver } from './webhook-receiver.js';

const { WEBHOOK_SECRET, PORT } = process.env;
const handle = async (event) => console.log(parseChangeEvent(JSON.stringify(event)).type);
makeWebhookReceiver(WEBHOOK_SECRET, handle).listen(Number(PORT), '127.0.0.1');
`;

/** What a module imports from elsewhere. */
const IMPORTED = /(?:^(?:import|export|\}) [^"\n]*|\bimport\()"([^".][^"]*)"/gm;

/** Two empty projects: of a subscriber, and of an operator with an app of the CDK. */
let consumer: string;
let operator: string;
/** The files of each package, by its name. */
let packed: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  [consumer, operator] = await Promise.all([makeProject(), makeProject()]);
  await buildPackages();
  packed = {
    'sitecast-events': await install('sitecast-events', consumer),
    sitecast: await install('sitecast', operator),
  };
  await writeProgram(consumer, 'consumer', CONSUMER);
  await link(consumer, 'standardwebhooks');
  await link(operator, 'aws-cdk-lib', 'constructs');
  await writeProgram(consumer, 'webhook-receiver', await readExample('webhook-receiver'));
  await writeFile(join(consumer, 'receiver.js'), RECEIVER);
  await writeProgram(operator, 'cdk-app', await readExample('cdk-app'));
});

afterAll(async () => {
  for (const folder of [consumer, operator]) await rm(folder, { recursive: true, force: true });
});

describe.concurrent.each([
  ['sitecast', () => operator, ['zod', '@smithy/core', 'p-queue', 'hono', 'preact']],
  ['sitecast-events', () => consumer, []],
])('the package %s', (name, folder, contained) => {
  const installed = () => join(folder(), 'node_modules', name);

  it('has the version of the project, and runs nothing when it is installed', async () => {
    const { version, license } = await readManifest(ROOT);
    const manifest = await readManifest(installed());
    expect(manifest).toMatchObject({ name, version, license });
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).not.toHaveProperty('dependencies');
  });

  it('refers to no checkout, and has no sources', async () => {
    const files = packed[name] ?? [];
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']));
    expect(files.filter((file) => /(?<!\.d)\.tsx?$/.test(file))).toEqual([]);
    const texts = await Promise.all(files.map((file) => readFile(join(installed(), file), 'utf8')));
    expect(files.filter((_, i) => texts[i]?.includes(`${ROOT}/`))).toEqual([]);
  });

  it('names each package that it contains, with its licence', async () => {
    const read = (file: string) => readFile(join(installed(), file), 'utf8');
    const maps = (packed[name] ?? []).filter((path) => path.endsWith('.map'));
    const mapped = (await Promise.all(maps.map(read))).flatMap(
      (map) => (JSON.parse(map) as { sources: string[] }).sources,
    );
    // Esbuild names the source of each part that is not minified.
    const modules = (packed[name] ?? []).filter((path) => path.endsWith('.js'));
    const parts = (await Promise.all(modules.map(read))).flatMap((code) =>
      [...code.matchAll(/^\s*\/\/ (\S*node_modules\/\S+)$/gm)].map(([, source = '']) => source),
    );
    const names = [...mapped, ...parts].flatMap(
      (source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? [],
    );
    const notices = await read('THIRD-PARTY-NOTICES.txt');
    const named = [...notices.matchAll(/^(\S+) \d\S* \(\S+\)$/gm)].map(([, each]) => each);
    expect(named).toEqual(expect.arrayContaining([...new Set(names), ...contained]));
  });
});

describe.concurrent('sitecast-events', () => {
  it('depends on nothing', async () => {
    const installed = join(consumer, 'node_modules/sitecast-events');
    expect(Object.keys(await readManifest(installed)).join(' ')).not.toMatch(/dependencies/i);
    const code = await readFile(join(installed, 'index.js'), 'utf8');
    expect(code).not.toMatch(/^(import|export) .*from /m);
  });

  it('has the contract for machines to be imported', () => {
    const { resolve } = createRequire(join(consumer, 'consumer.ts'));
    for (const file of ['schemas.json', 'schemas/floorplan.updated.json', 'asyncapi.json']) {
      const path = join(consumer, 'node_modules/sitecast-events', file);
      expect(resolve(`sitecast-events/${file}`)).toBe(path);
    }
  });

  it.each([
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('type-checks with module resolution %s, alone', async (moduleResolution, module) => {
    const options = {
      ...{ module, moduleResolution, exactOptionalPropertyTypes: true },
      ...{ lib: ['es2024'] },
    };
    const read = await typeCheckFile(join(consumer, 'consumer.ts'), options);
    expect(read).toContain('node_modules/sitecast-events/contract/index.d.ts');
    expect(read.filter((file) => file.includes('zod'))).toEqual([]);
  });

  it('reads an event and keeps a mirror in plain Node', async () => {
    const read = async (...args: string[]) =>
      (await run(NODE, ['consumer.js', ...args], { cwd: consumer })).stdout;
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

describe.concurrent('the program', () => {
  const program = () => join(operator, 'node_modules/sitecast/cli/sitecast.js');

  it('is the command sitecast', async () => {
    const { bin, version } = await readManifest(join(operator, 'node_modules/sitecast'));
    expect(bin).toEqual({ sitecast: 'cli/sitecast.js' });
    const env = {
      ...{ PATH, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' },
      ...{ AWS_CONFIG_FILE: '/dev/null', AWS_SHARED_CREDENTIALS_FILE: '/dev/null' },
    };
    expect((await run(program(), ['--version'], { env })).stdout).toBe(`${String(version)}\n`);
    await expect(
      run(program(), ['status', '--stage', 'prod'], { env, cwd: operator }),
    ).rejects.toThrow('The stack Sitecast-prod cannot be looked up: there are no AWS credentials.');
  });

  it('checks a stage without the CDK', async () => {
    const prod = { baseUrl: 'https://api.invalid', authUrl: 'https://auth.invalid' };
    const file = join(consumer, 'stages.json');
    await writeFile(file, JSON.stringify({ context: { notifier: { prod } } }));
    const env = { PATH, SITECAST_REFRESH_TOKEN: 'token', AWS_EC2_METADATA_DISABLED: 'true' };
    const checked = run(program(), ['check', '--stage', 'prod', '--cdk', file], { env });
    const stdout = expect.stringMatching(/^✓ config [^]*\n✗ token /) as string;
    await expect(checked).rejects.toMatchObject({ code: 1, stdout });
  });

  it('needs no other package, and an app only the CDK', async () => {
    const installed = join(operator, 'node_modules/sitecast');
    const { peerDependencies, peerDependenciesMeta } = await readManifest(installed);
    const { devDependencies } = await readManifest(ROOT);
    const { 'aws-cdk-lib': cdk } = devDependencies as Record<string, string>;
    // No older version is tried. npm installs no optional peer.
    expect(peerDependencies).toMatchObject({ 'aws-cdk-lib': `^${cdk}` });
    expect(Object.keys(peerDependenciesMeta as object)).toEqual(
      Object.keys(peerDependencies as object),
    );
    const programs = (packed['sitecast'] ?? []).filter((file) => file.startsWith('cli/'));
    const imported = await Promise.all(
      programs.map(async (file) =>
        [...(await readFile(join(installed, file), 'utf8')).matchAll(IMPORTED)].map(([, id]) => id),
      ),
    );
    const others = new Set(imported.flat().filter((id) => id !== undefined && !isBuiltin(id)));
    expect([...others]).toEqual(['#manifest']);
  });

  it.each([
    [['--stage', 'prod'], '--stage is "prod"; allowed: none'],
    [['--webhook', 'ftp://a.test'], '--webhook is "ftp://a.test"; allowed: an https URL'],
    [[1, 2, 3, 4].flatMap((n) => ['--webhook', `https://${n}.test`]), 'allowed: 3 times'],
  ])('refuses %j', async (flags, message) => {
    const dev = run(NODE, [program(), 'dev', '--headless', ...flags], { cwd: operator });
    await expect(dev).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as unknown,
    });
  });

  it('runs the trial, and a receiver of webhooks gets its events', async ({ onTestFinished }) => {
    const env = { PATH };
    const url = await deadAddress();
    const startedAt = performance.now();
    const flags = ['dev', '--json', '--webhook', url];
    const dev = startCli(flags, { command: [NODE, program()], cwd: operator, env });
    onTestFinished(() => void dev.child.kill('SIGKILL'));
    const find = async (pattern: RegExp): Promise<string> => {
      await vi.waitUntil(() => pattern.test(dev.stderr), WAIT);
      return pattern.exec(dev.stderr)?.[1] ?? '';
    };
    const WEBHOOK_SECRET = await find(/webhook-1 secret +(whsec_\S+)/);
    const receiver = startCli([], {
      ...{ command: [NODE, 'receiver.js'], cwd: consumer },
      env: { PATH, WEBHOOK_SECRET, PORT: new URL(url).port },
    });
    onTestFinished(() => void receiver.child.kill('SIGKILL'));
    const line = await vi.waitUntil(() => /^.+\n/.exec(dev.stdout)?.[0], WAIT);
    const seconds = (performance.now() - startedAt) / 1000;
    process.stdout.write(`sitecast dev: first event after ${seconds.toFixed(1)} s\n`);
    expect(JSON.parse(line)).toMatchObject({ specversion: '1.0' });
    const console = await find(/Console: (\S+)/);
    for (const path of ['/', '/main.js', '/page.css']) {
      expect(await fetch(`${console}${path}`)).toMatchObject({ status: 200 });
    }
    const args = [program(), 'status', '--local', '--json'];
    const status = await run(NODE, args, { cwd: operator, env });
    expect(JSON.parse(status.stdout)).toMatchObject({ command: 'status' });
    const received = () => /^\w+\.(created|updated|deleted|restored)$/m.test(receiver.stdout);
    await vi.waitUntil(received, WAIT);
    dev.child.kill('SIGINT');
    expect((await dev.ended).code).toBe(0);
  });
});

it('is released with the template, the code of its functions, and the sums of all files', async () => {
  await run(process.execPath, ['infra/package/release/release.ts'], { cwd: ROOT });
  const cwd = join(ROOT, 'dist/release');
  const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd });
  const { version } = await readManifest(ROOT);
  const of = (...ends: readonly string[]) => ends.map((end) => `sitecast-${String(version)}${end}`);
  expect(stdout.match(/^\S+(?=: OK$)/gm)).toEqual([
    ...['LICENSE', 'THIRD-PARTY-NOTICES.txt'],
    ...of('-control.zip', '-poll.zip', '.template.json', '.tgz'),
    `sitecast-events-${String(version)}.tgz`,
  ]);
  for (const name of ['control', 'poll']) {
    const zipped = await run('zipinfo', ['-1', ...of(`-${name}.zip`)], { cwd });
    const files = await readdir(join(ROOT, 'dist/sitecast/functions', name));
    expect(zipped.stdout.trimEnd().split('\n')).toEqual(files.sort());
  }
});

/** Without names that are made of the construct's place in the app, and of the code. */
const withoutNames = (text: string): string =>
  text
    .replaceAll('BuildingSite/Notifier', 'sitecast-test')
    .replaceAll(/[0-9a-f]{64}\.zip/g, 'code.zip')
    .replaceAll(/\w+-Notifier-Poller-ScheduleGroup-\w+/g, 'group');

describe.concurrent('the construct of the package', () => {
  it('loads in CommonJS, as the contract does', async () => {
    const load = async (cwd: string, name: string, exported: string) => {
      const program = `console.log(typeof require('${name}').${exported}, process.version)`;
      await writeFile(join(cwd, 'load.cjs'), program);
      return (await run(NODE, ['load.cjs'], { cwd })).stdout;
    };
    const { stdout: version } = await run(NODE, ['--version']);
    expect(await load(operator, 'sitecast/cdk', 'ChangeNotifier')).toBe(`function ${version}`);
    const parse = await load(consumer, 'sitecast-events', 'parseChangeEvent');
    expect(parse).toBe(`function ${version}`);
  });

  it('type-checks in a strict CDK app', async () => {
    const read = await typeCheckFile(join(operator, 'cdk-app.ts'), {
      lib: ['es2024', 'esnext.disposable'],
      module: 'nodenext',
      // Its index has the types of all services.
      paths: { 'aws-cdk-lib': ['../node_modules/aws-cdk-lib/core/index.d.ts'] },
    });
    expect(read).toContain('node_modules/sitecast/cdk/infra/package/index.d.ts');
  });

  it('synthesizes what the stack of this repository has, and what the app adds', async () => {
    const outdir = join(operator, 'cdk.out');
    const { notifier, ...flags } = contextOfCdkJson();
    const env = { ...process.env, CDK_OUTDIR: outdir, CDK_CONTEXT_JSON: JSON.stringify(flags) };
    await run(NODE, ['cdk-app.js'], { cwd: operator, env });
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
    const load = createRequire(join(operator, 'cdk-app.js'));
    const { ChangeNotifier, ConfigInvalidError } = load('sitecast/cdk') as typeof SitecastCdk;
    const stack = new Stack(new App({ outdir: operator }), 'Shop', {
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
