import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventOf } from './support/samples.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '..');

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
      return gone.id;
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
/** The service: one floorplan of one project, as fetch would return it. */
const get = (url: string) => Promise.resolve({
  status: 200,
  headers: new Map<string, string>() as unknown as { get(name: string): string | null },
  json: () => Promise.resolve(
    [{ id: 'p1', name: 'Tower', updated_at: '2020-01-01T00:00:00.000Z' }].filter(() => url.endsWith('projects')),
  ),
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
  await run('npm', ['run', 'build:events'], { cwd: ROOT });
  const { stdout } = await run(
    'npm',
    ['pack', './dist/events', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: ROOT },
  );
  const [archive] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  packed = archive?.files.map(({ path }) => path) ?? [];
  const installed = join(folder, 'node_modules/sitecast');
  await mkdir(installed, { recursive: true });
  const file = join(folder, archive?.filename ?? '');
  await run('tar', ['-xzf', file, '--strip-components=1', '-C', installed]);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'consumer.ts'), CONSUMER);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

// Concurrent, since each test waits for a process.
describe.concurrent('the package', () => {
  it('holds the contract and its documents, and nothing else', () => {
    const documents =
      /^(README\.md|LICENSE|package\.json|asyncapi\.json|schemas\.json|schemas\/.*)$/;
    const others = packed.filter((path) => !documents.test(path) && !path.endsWith('.d.ts'));
    expect(others).toEqual(['index.js']);
    expect(packed).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'schemas.json']));
    expect(packed).not.toContain('contract/schemas.d.ts');
  });

  it('depends on nothing, runs nothing when it is installed, and has the version of the project', async () => {
    const read = async (file: string) =>
      JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    const manifest = await read(join(folder, 'node_modules/sitecast/package.json'));
    const fields = Object.keys(manifest);
    expect(fields.filter((field) => /dependencies$/i.test(field) || field === 'scripts')).toEqual(
      [],
    );
    const { version, license, engines } = await read(join(ROOT, 'package.json'));
    expect(manifest).toMatchObject({ name: 'sitecast', version, license, engines });
    const code = await readFile(join(folder, 'node_modules/sitecast/index.js'), 'utf8');
    expect(code).not.toMatch(/^(import|export) .*from /m);
  });

  it('is not packed by mistake with what the project depends on', async () => {
    const packing = run('npm', ['pack', '--dry-run'], { cwd: ROOT });
    await expect(packing).rejects.toThrow('npm pack ./dist/events');
  });

  it.each([
    [
      'nodenext',
      { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ],
    [
      'bundler',
      { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    ],
  ])('type-checks in a strict project with module resolution %s, alone', (_, resolution) => {
    const program = ts.createProgram([join(folder, 'consumer.ts')], {
      ...resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      target: ts.ScriptTarget.ES2024,
      lib: ['lib.es2024.d.ts'],
      types: [],
    });
    const problems = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText);
    expect(problems).toEqual([]);
    const read = program.getSourceFiles().map(({ fileName }) => fileName);
    expect(read).toContain(join(folder, 'node_modules/sitecast/contract/index.d.ts'));
    expect(read.filter((file) => file.includes('zod'))).toEqual([]);
  });

  it('reads an event and keeps a mirror in plain Node', async () => {
    const read = async (...args: string[]) =>
      (await run(process.execPath, ['consumer.ts', ...args], { cwd: folder })).stdout;
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
