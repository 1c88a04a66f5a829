import { buildCommand } from '@stricli/core';
import type { ChangeRequest, PlacedAnswer } from '../../../functions/control/protocol.ts';
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
  WAIT_FLAG,
  type Scope,
  type ScopeFlags,
  type StackFlags,
} from '../flags.ts';
import { reporting, type Report } from '../report.ts';
import { formatAge, formatNames, ProgressLine, type CliContext } from '../terminal.ts';
import { waitUntilCarriedOut } from '../wait-until-carried-out.ts';

/** Flags of a command that changes lists. */
export interface ChangeFlags extends StackFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
  readonly wait: boolean;
  readonly json?: boolean | undefined;
}

const CHANGE_FLAGS = {
  ...STACK_FLAGS,
  ...SCOPE_FLAGS,
  all: ALL_FLAG,
  dryRun: DRY_RUN_FLAG,
  wait: WAIT_FLAG,
  json: JSON_FLAG,
} as const;

/** Names of lists in a text. */
const SHOWN_NAMES = 3;
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
      to: {
        kind: 'parsed',
        parse: (input) => readPastTime(input),
        placeholder: 'time',
        brief: 'A time in ISO 8601, or an age: 90min, 2h, 3d',
      },
    },
  },
  async func(flags) {
    await change(this, flags, (scope) => ({ command: 'rewind', scope, to: flags.to }));
  },
});

/** A command that needs nothing but a scope. */
function simpleCommand(
  command: 'pause' | 'resume' | 'retry',
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

function describe(command: string, brief: string, examples: readonly string[]) {
  const lines = examples.map((example) => `  sitecast ${command} ${example}`);
  const time = command === 'rewind' ? ' --to <time>' : '';
  return {
    brief,
    fullDescription: [`${brief}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${SCOPE_USAGE}${time} [flags]`],
  };
}

/**
 * Places a command, and waits until it is carried out unless that is not wanted.
 *
 * @param makeRequest of the scope that the flags name.
 */
export async function change(
  context: CliContext,
  flags: ChangeFlags,
  makeRequest: (scope: Scope) => ChangeRequest,
): Promise<void> {
  await reporting(context, flags.json, async () => {
    const request = makeRequest(readScope(flags));
    const { stdout } = context.process;
    const stack = await findStack(flags);
    const dryRun = flags.dryRun === true;
    const answer = await askControl(stack, { ...request, ...(dryRun && { dryRun }) });
    const { id } = answer;
    if (dryRun || id === undefined) return { document: answer, text: describeDryRun(answer) };
    if (flags.json !== true) stdout.write(`${describePlaced(answer)}\n`);
    return waitFor({ ...answer, id }, stack, context, flags.wait);
  });
}

/** Waits until a command that was placed is carried out, unless that is not wanted. */
export async function waitFor(
  answer: { readonly command: string; readonly id: string },
  stack: Stack,
  { process }: CliContext,
  isWanted: boolean,
): Promise<Report> {
  if (!isWanted) {
    const text = 'The next runs carry it out. sitecast status shows it until then.';
    return { document: { ...answer, carriedOut: false }, text };
  }
  const name = answer.command.replace('-', ' ');
  const progress = new ProgressLine(process.stderr);
  progress.show(`Waiting for the next runs to carry out ${name}`);
  const start = performance.now();
  const failure = await waitUntilCarriedOut(name, () => isPending(stack, answer.id)).catch(
    (error: unknown) => error as Error,
  );
  progress.end();
  const age = formatAge((performance.now() - start) / 1000);
  return failure === undefined
    ? { document: { ...answer, carriedOut: true }, text: `Carried out after ${age}.` }
    : { document: { ...answer, carriedOut: false }, failure };
}

/** Whether the stack has still to carry a command out. */
async function isPending(stack: Stack, id: string): Promise<boolean> {
  const { commands } = await askControl(stack, { command: 'status', limit: 0 });
  // A request may have placed several, whose ids begin alike.
  return commands.some((command) => command.id.startsWith(id));
}

function describeDryRun({ command, listCount, examples }: PlacedAnswer): string {
  return `${command} would concern ${describeLists(listCount, examples)}. Nothing was changed.`;
}

function describePlaced({ command, id = '', listCount, examples }: PlacedAnswer): string {
  return `${command} concerns ${describeLists(listCount, examples)}. Command ${id} is placed.`;
}

function describeLists(count: number, examples: readonly string[]): string {
  if (count === 0) return 'no list at the moment';
  return `${count} ${count === 1 ? 'list' : 'lists'}: ${formatNames(examples.slice(0, SHOWN_NAMES), count)}`;
}
