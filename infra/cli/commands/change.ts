import { buildCommand } from '@stricli/core';
import type { ChangedAnswer, ChangeRequest } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import { findStack, type Stack } from '../find-stack.ts';
import {
  ALL_FLAG,
  DRY_RUN_FLAG,
  JSON_FLAG,
  readPastTime,
  readScope,
  SCOPE_FLAGS,
  SCOPE_USAGE,
  STACK_FLAGS,
  STACK_USAGE,
  type Scope,
  type ScopeFlags,
  type StackFlags,
} from '../flags.ts';
import { reporting } from '../report.ts';
import { formatProgress, ProgressLine, type CliContext } from '../terminal.ts';
import { formatChange, formatChanged } from './format-changed.ts';

/** Flags of a command that changes lists. */
export interface ChangeFlags extends StackFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** The flags of {@link ChangeFlags}. */
export const CHANGE_FLAGS = {
  ...STACK_FLAGS,
  ...SCOPE_FLAGS,
  all: ALL_FLAG,
  dryRun: DRY_RUN_FLAG,
  json: JSON_FLAG,
} as const;

/** A flag with a time in the past. */
export const TIME_FLAG = {
  kind: 'parsed',
  parse: (input: string) => readPastTime(input),
  placeholder: 'time',
} as const;

/** What each command needs beside a stack and a scope. */
const NEEDED: Readonly<Record<string, string>> = {
  rewind: ' --to <time>',
  replay: ' --since <time>',
};

const EXAMPLE_LIST = 'projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans';

/** `sitecast pause`. */
export const pauseCommand = simpleCommand('pause', 'Stop polling lists; they keep their cursors', [
  `--stage prod --list ${EXAMPLE_LIST}`,
  '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec',
  '--local --resource floorplans',
]);

/** `sitecast resume`. */
export const resumeCommand = simpleCommand(
  'resume',
  'Poll paused lists again, from their cursors',
  ['--stage prod --all --dry-run', '--stage prod --all'],
);

/** `sitecast retry`. */
export const retryCommand = simpleCommand('retry', 'Poll lists that back off or are refused now', [
  '--stage prod --all',
  `--stage prod --list ${EXAMPLE_LIST}`,
]);

/** `sitecast rewind`. */
export const rewindCommand = buildCommand<ChangeFlags & { to: string }, [], CliContext>({
  docs: describe('rewind', 'Read lists again from a time on; what is known raises no event', [
    '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --to 2026-11-22T09:00:00Z',
    '--stage prod --all --to 3d --dry-run',
  ]),
  parameters: {
    flags: {
      ...CHANGE_FLAGS,
      to: { ...TIME_FLAG, brief: 'A time with its zone, a day, or an age: 90min, 2h, 3d' },
    },
  },
  async func(flags) {
    await change(this, flags, (scope) => ({ command: 'rewind', scope, to: flags.to }));
  },
});

/** `sitecast cancel`. */
export const cancelCommand = simpleCommand(
  'cancel',
  'End jobs of lists; what they have done stays',
  ['--stage prod --all', `--stage prod --list ${EXAMPLE_LIST}`],
);

/** A command that needs nothing but a scope. */
function simpleCommand(
  command: 'pause' | 'resume' | 'retry' | 'cancel',
  brief: string,
  examples: readonly string[],
) {
  return buildCommand<ChangeFlags, [], CliContext>({
    docs: describe(command, brief, examples),
    parameters: { flags: CHANGE_FLAGS },
    async func(flags) {
      await change(this, flags, (scope) => ({ command, scope }));
    },
  });
}

/** The help of a command. */
export function describe(command: string, brief: string, examples: readonly string[]) {
  const lines = examples.map((example) => `  sitecast ${command} ${example}`);
  return {
    brief,
    fullDescription: [`${brief}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${SCOPE_USAGE}${NEEDED[command] ?? ''} [flags]`],
  };
}

/**
 * Changes lists, and tells what has changed.
 *
 * @param makeRequest of the scope that the flags name.
 */
async function change(
  context: CliContext,
  flags: ChangeFlags,
  makeRequest: (scope: Scope) => ChangeRequest,
): Promise<void> {
  await reporting(context, flags.json, async () => {
    const request = makeRequest(readScope(flags));
    const stack = await findStack(flags);
    const isDry = flags.dryRun === true;
    const answer = await changeLists(request, stack, context, isDry);
    return { document: answer, text: isDry ? formatChange(answer) : formatChanged(answer) };
  });
}

/** Asks until all lists are changed: some at a time if there are many. @returns the first answer, with the count of all. */
export async function changeLists(
  request: ChangeRequest,
  stack: Stack,
  { process }: CliContext,
  isDry: boolean,
): Promise<ChangedAnswer> {
  if (isDry) return askControl(stack, { ...request, dryRun: true });
  const line = new ProgressLine(process.stderr);
  try {
    const { next, ...first } = await askControl(stack, request);
    const id = first.id === undefined ? {} : { id: first.id };
    let { changedCount = 0 } = first;
    let after = next;
    while (after !== undefined) {
      const left = first.listCount - changedCount;
      line.show(`${first.command} ${formatProgress(first.listCount, left)}`);
      const answer = await askControl(stack, { ...request, ...id, after });
      changedCount += answer.changedCount ?? 0;
      after = answer.next;
    }
    return { ...first, changedCount };
  } finally {
    line.end();
  }
}
