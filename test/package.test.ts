import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  InvalidChangeEventError, isClaimCheck, parseChangeEvent, resolveClaimCheck,
  type ChangeEvent, type ChangeEventOf, type Floorplan,
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

try {
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
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
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
    const others = packed.filter((path) => !/^(dist\/events|docs\/events)\//.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
    expect(packed).toContain('docs/events/asyncapi.json');
    expect(packed).not.toContain('dist/events/contract/schemas.d.ts');
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
    expect(read).toContain(join(folder, 'node_modules/sitecast/dist/events/contract/index.d.ts'));
    expect(read.filter((file) => file.includes('zod'))).toEqual([]);
  });

  it('reads an event in plain Node', async () => {
    const read = async (text: string) =>
      (await run(process.execPath, ['consumer.ts', text], { cwd: folder })).stdout;
    expect(await read(JSON.stringify(eventOf('f1')))).toBe('South becomes North\n');
    expect(await read('{"specversion":"0.3","type":"floorplan.updated"}')).toBe(
      'specversion is "0.3"; allowed: "1.0"\n',
    );
  });
});
