import { buildCommand } from '@stricli/core';
import type {
  ControlRequest,
  PlacedAnswer,
  StatusAnswer,
} from '../../../functions/control/protocol.ts';
import { EXIT } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import { findStack, type Stack } from '../find-stack.ts';
import {
  ALL_FLAG,
  flag,
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
import { reporting, type Report } from '../report.ts';
import { formatAge, formatNames, ProgressLine, type CliContext } from '../terminal.ts';
import { waitUntilCarriedOut } from '../wait-until-carried-out.ts';

/** A request that changes something. */
type ChangeRequest = Exclude<ControlRequest, { readonly command: 'status' }>;

export interface ChangeFlags extends StackFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
  readonly wait: boolean;
  readonly json?: boolean | undefined;
}

export const CHANGE_FLAGS = {
  ...STACK_FLAGS,
  ...SCOPE_FLAGS,
  all: ALL_FLAG,
  dryRun: flag('Change nothing; tell which lists it would concern'),
  wait: {
    kind: 'boolean',
    brief: 'Wait until the pollers have carried it out',
    default: true,
  },
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

/** The help of a command. */
export function describe(command: string, brief: string, examples: readonly string[]) {
  const lines = examples.map((example) => `  sitecast ${command} ${example}`);
  const time = command === 'rewind' ? ' --to <time>' : '';
  return {
    brief,
    fullDescription: [`${brief}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${SCOPE_USAGE}${time} [flags]`],
  };
}

/** How a long command is waited for: without an end. */
export interface LongWait {
  /** What the progress line says. */
  readonly describeProgress: (status: StatusAnswer, placed: PlacedAnswer) => string;
  /** What the command came to. */
  readonly conclude: (status: StatusAnswer, placed: PlacedAnswer) => Report;
}

/** Places a command, and waits until it is carried out unless that is not wanted. */
export async function change(
  context: CliContext,
  flags: ChangeFlags,
  makeRequest: (scope: Scope) => ChangeRequest,
  longWait?: LongWait,
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
    if (!flags.wait) {
      const text = 'The next runs carry it out. sitecast status shows it until then.';
      return { document: { ...answer, carriedOut: false }, text };
    }
    const progress = new ProgressLine(context.process.stderr);
    progress.show(`Waiting for the next runs to carry out ${answer.command}`);
    const start = performance.now();
    let status: StatusAnswer | undefined;
    const isPending = async (): Promise<boolean> => {
      status = await readStatus(stack, answer);
      if (longWait) progress.show(longWait.describeProgress(status, answer));
      return status.commands.some((command) => command.id === id);
    };
    const stopNotice = longWait && noticeInterrupt(context, answer);
    const failure = await waitUntilCarriedOut(
      answer.command,
      isPending,
      undefined,
      longWait ? Infinity : undefined,
    ).catch((error: unknown) => error as Error);
    progress.end();
    stopNotice?.();
    if (failure === undefined && longWait && status) return longWait.conclude(status, answer);
    const age = formatAge((performance.now() - start) / 1000);
    return failure === undefined
      ? { document: { ...answer, carriedOut: true }, text: `Carried out after ${age}.` }
      : { document: { ...answer, carriedOut: false }, failure };
  });
}

/** The status of the stack, in the smallest answer: of one list. */
async function readStatus(stack: Stack, { examples: [list] }: PlacedAnswer): Promise<StatusAnswer> {
  return askControl(stack, { command: 'status', scope: list === undefined ? {} : { list } });
}

/** Says on Ctrl-C that the command goes on. @returns what ends that. */
function noticeInterrupt({ process: { stderr } }: CliContext, { command }: PlacedAnswer) {
  const onInterrupt = (): void => {
    stderr.write(`\n${command} goes on; sitecast status shows how far it is.\n`);
    process.exit(EXIT.failed);
  };
  process.once('SIGINT', onInterrupt);
  return () => process.off('SIGINT', onInterrupt);
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
