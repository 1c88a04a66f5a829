import { buildCommand } from '@stricli/core';
import type {
  ChangeRequest,
  CommandStatus,
  PlacedAnswer,
} from '../../../functions/control/protocol.ts';
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
import { stopOnSignals } from '../stop-on-signals.ts';
import { formatAge, formatProgress, ProgressLine, type CliContext } from '../terminal.ts';
import { waitUntilCarriedOut } from '../wait-until-carried-out.ts';
import { formatDryRun, formatPlaced } from './format-placed.ts';

/** Flags of a command that changes lists. */
export interface ChangeFlags extends StackFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
  readonly wait: boolean;
  readonly json?: boolean | undefined;
}

/** The flags of {@link ChangeFlags}. */
export const CHANGE_FLAGS = {
  ...STACK_FLAGS,
  ...SCOPE_FLAGS,
  all: ALL_FLAG,
  dryRun: DRY_RUN_FLAG,
  wait: WAIT_FLAG,
  json: JSON_FLAG,
} as const;

/** A flag with a time in the past. */
const TIME_FLAG = {
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

/** `sitecast replay`. */
export const replayCommand = buildCommand<
  ChangeFlags & { since: string; until?: string },
  [],
  CliContext
>({
  docs: describe('replay', 'Tell the events of a time again, with the ids that they had', [
    '--stage prod --all --since 2026-11-22T09:00:00Z --until 2026-11-22T12:00:00Z',
    '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --since 2d --dry-run',
  ]),
  parameters: {
    flags: {
      ...CHANGE_FLAGS,
      since: {
        ...TIME_FLAG,
        brief: 'Changes since this time with its zone, day, or age: 2h, 3d',
      },
      until: {
        ...TIME_FLAG,
        brief: 'Changes until this time, day, or age; default: now',
        optional: true,
      },
    },
  },
  async func({ since, until, ...flags }) {
    const times = { since, ...(until !== undefined && { until }) };
    await change(this, flags, (scope) => ({ command: 'replay', scope, ...times }));
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
  return {
    brief,
    fullDescription: [`${brief}.`, '', 'EXAMPLES', ...lines].join('\n'),
    customUsage: [`${STACK_USAGE} ${SCOPE_USAGE}${NEEDED[command] ?? ''} [flags]`],
  };
}

/**
 * Places a command, and waits until it is carried out unless that is not wanted.
 *
 * @param makeRequest of the scope that the flags name.
 * @param conclude tells what the command came to.
 */
export async function change(
  context: CliContext,
  flags: ChangeFlags,
  makeRequest: (scope: Scope) => ChangeRequest,
  conclude?: (stack: Stack, placed: PlacedAnswer) => Promise<Report>,
): Promise<void> {
  await reporting(context, flags.json, async () => {
    const request = makeRequest(readScope(flags));
    const { stdout } = context.process;
    const stack = await findStack(flags);
    const dryRun = flags.dryRun === true;
    const answer = await askControl(stack, { ...request, ...(dryRun && { dryRun }) });
    const { id } = answer;
    if (dryRun || id === undefined) return { document: answer, text: formatDryRun(answer) };
    if (flags.json !== true) stdout.write(`${formatPlaced(answer)}\n`);
    const report = await waitFor({ ...answer, id }, stack, context, flags.wait);
    const { carriedOut } = report.document as { readonly carriedOut?: boolean };
    return conclude && carriedOut === true ? conclude(stack, answer) : report;
  });
}

/** A command that was placed. */
interface PlacedHere {
  readonly command: string;
  readonly id: string;
  readonly listCount?: number;
}

/** Waits until a command that was placed is carried out, unless that is not wanted. */
export async function waitFor(
  answer: PlacedHere,
  stack: Stack,
  { process }: CliContext,
  isWanted: boolean,
): Promise<Report> {
  if (!isWanted) {
    const text = 'The next runs carry it out. sitecast status shows it until then.';
    return { document: { ...answer, carriedOut: false }, text };
  }
  const name = answer.command.replace('-', ' ');
  const line = new ProgressLine(process.stderr);
  line.show(`Waiting for the next runs to carry out ${name}`);
  const start = performance.now();
  const look = async (): Promise<CommandStatus | undefined> => {
    const status = await lookAt(stack, answer.id, name);
    if (status?.progress !== undefined) {
      line.show(`${name} ${formatProgress(answer.listCount ?? 0, status.progress)}`);
    }
    return status;
  };
  const stop = stopOnSignals(process.stdout);
  const failure = await waitUntilCarriedOut(name, look, stop).catch(
    (error: unknown) => error as Error,
  );
  line.end();
  const age = formatAge((performance.now() - start) / 1000);
  return failure === undefined
    ? { document: { ...answer, carriedOut: true }, text: `Carried out after ${age}.` }
    : { document: { ...answer, carriedOut: false }, failure };
}

/** A command that the stack has still to carry out; undefined if it has. */
async function lookAt(stack: Stack, id: string, words: string): Promise<CommandStatus | undefined> {
  const { commands } = await askControl(stack, { command: 'status', limit: 0 }, words);
  return commands.find((command) => command.id === id);
}
