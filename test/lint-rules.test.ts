import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '..');
const CORE = 'functions/core/example';

const FORBIDDEN = [
  'Date.now()',
  'Date["now"]()',
  'new Date()',
  'new Date',
  'Date()',
  'Math.random()',
  'process.env',
  'globalThis.process',
  'setTimeout(() => 1, 1)',
  'setInterval(() => 1, 1)',
  'setImmediate(() => 1)',
  'globalThis.setTimeout(() => 1, 1)',
  'performance.now()',
  'crypto.randomUUID()',
  'fetch("http://127.0.0.1")',
];
const ALLOWED = ['new Date(0)', 'Date.parse("2024-01-01")', 'Math.floor(1.5)'];

interface Diagnostic {
  readonly filename: string;
  readonly message: string;
  readonly help?: string;
}

interface Report {
  readonly diagnostics: readonly Diagnostic[];
}

let folder = '';
let found: Report['diagnostics'] = [];

/** A project with the same rules, without those that need types, and a file for each line of code. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sitecast-lint-'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const config = await readFile(path.join(ROOT, '.oxlintrc.json'), 'utf8');
  const untyped = config.replace(/"type(Aware|Check)": true/g, '"type$1": false');
  await writeFile(path.join(folder, '.oxlintrc.json'), untyped);
  const lines = [...FORBIDDEN, ...ALLOWED].map((code, i) => [`${CORE}${i}.ts`, code] as const);
  for (const [name, code] of [
    ...lines,
    ['functions/adapters/example.ts', 'process.env'] as const,
  ]) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `export const value: unknown = ${code};\n`);
  }
  const output = await new Promise<string>((resolve) => {
    const oxlint = path.join(ROOT, 'node_modules/.bin/oxlint');
    // It ends with status 1, since it finds what it is given.
    execFile(oxlint, ['--format=json', '.'], { cwd: folder }, (_error, stdout) => {
      resolve(stdout);
    });
  });
  found = (JSON.parse(output) as Report).diagnostics;
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const problemsIn = (file: string) =>
  found
    .filter(({ filename }) => filename === file)
    .map(({ message, help }) => [message, help].join(' '));

describe('the core', () => {
  it.each(FORBIDDEN.map((code, i) => [code, i] as const))(
    'must not use %s, and names the replacement',
    (_code, i) => {
      expect(problemsIn(`${CORE}${i}.ts`)).toEqual([
        expect.stringMatching(/Deterministic code .*: /),
      ]);
    },
  );

  it.each(ALLOWED.map((code, i) => [code, FORBIDDEN.length + i] as const))(
    'may use %s',
    (_code, i) => {
      expect(problemsIn(`${CORE}${i}.ts`)).toEqual([]);
    },
  );
});

it('leaves adapters alone', () => {
  expect(problemsIn('functions/adapters/example.ts')).toEqual([]);
});
