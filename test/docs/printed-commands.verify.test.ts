import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@stricli/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeApplication } from '../../infra/cli/application.ts';
import type { CliContext } from '../../infra/cli/terminal.ts';
import { findPrintedCommands, type PrintedCommand } from './printed-commands.ts';

/** Commands that need no stack, or name theirs. */
const WITHOUT_STACK = new Set(['trigger']);
const STACK_FLAG = /^--(stage|stack|local)$/;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  // No local stack is found there.
  vi.stubEnv('TMPDIR', folder);
  // The times of the examples are in the past.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2100-01-01T00:00:00Z') });
});
afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** What the command line writes to standard error. */
async function runHere(args: readonly string[]): Promise<string> {
  let written = '';
  const stream = { write: (text: string) => (written += text) };
  const silent = { write: () => true };
  const process = { stdout: silent, stderr: stream, env: {} } as unknown as CliContext['process'];
  await run(makeApplication(), args, { process });
  return written;
}

/** Arguments that name the local stack in place of the one that is printed. */
function atLocalStack(args: readonly string[]): string[] {
  const index = args.findIndex((arg) => STACK_FLAG.test(arg));
  if (index < 0) return [...args, '--local'];
  return args.toSpliced(index, args[index] === '--local' ? 1 : 2, '--local');
}

/** Why a printed command is wrong; undefined if it gets as far as to look for its stack. */
async function problemOf({ args, isBlock }: PrintedCommand): Promise<string | undefined> {
  const [command = ''] = args;
  const isName = !isBlock && args.every((arg) => !arg.startsWith('--'));
  if (isName) {
    const written = await runHere([...args.filter((arg) => /^[a-z]+$/.test(arg)), '--help']);
    return written === '' ? undefined : written;
  }
  const needsStack = !WITHOUT_STACK.has(command);
  if (needsStack && isBlock && !args.some((arg) => STACK_FLAG.test(arg))) return 'names no stack';
  const written = await runHere(needsStack ? atLocalStack(args) : args);
  return written.startsWith('There is no local stack of this clone.') ? undefined : written;
}

const names = (await readdir('docs')).filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', ...names.map((it) => `docs/${it}`)];

it('many commands are printed', async () => {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  expect(texts.flatMap(findPrintedCommands).length).toBeGreaterThan(80);
});

describe('the command line accepts each command that is printed in', () => {
  it.each(pages)('%s', async (page) => {
    for (const command of findPrintedCommands(await readFile(page, 'utf8'))) {
      expect(await problemOf(command), command.text).toBeUndefined();
    }
  });
});

it.each([
  ['npm run sitecast -- reconcile --stage <stage>', /no scope was given/],
  ['sitecast replay --stage prod --all', /flag --since/],
  ['sitecast status --stage prod --al', /--al\b/],
  ['npx sitecast paus --stage prod --all', /`paus`/],
  ['sitecast status', /names no stack/],
])('finds what is wrong with %s', async (text, problem) => {
  const [command] = findPrintedCommands(`\`\`\`sh\n${text} # now\n\`\`\`\n`);
  expect(await problemOf(command ?? { text, args: [], isBlock: true })).toMatch(problem);
});

it('finds commands in blocks and sentences', () => {
  const page =
    'Try `sitecast webhooks list`, or `sitecast <command> --help`.\n\n' +
    '   ```sh\n   npm -s run sitecast -- status --stage <stage> --json | jq .\n   ```\n';
  expect(findPrintedCommands(page)).toEqual([
    {
      text: 'npm -s run sitecast -- status --stage <stage> --json',
      args: ['status', '--stage', 'stage', '--json'],
      isBlock: true,
    },
    { text: 'sitecast webhooks list', args: ['webhooks', 'list'], isBlock: false },
  ]);
});
