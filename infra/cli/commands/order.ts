import { buildCommand } from '@stricli/core';
import type {
  CommandStatus,
  OrderRequest,
  PlacedAnswer,
} from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import { findStack, type Stack } from '../find-stack.ts';
import { readScope, WAIT_FLAG, type Scope } from '../flags.ts';
import { reporting, type Report } from '../report.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { formatAge, formatProgress, ProgressLine, type CliContext } from '../terminal.ts';
import { waitUntilCarriedOut } from '../wait-until-carried-out.ts';
import { CHANGE_FLAGS, describe, TIME_FLAG, type ChangeFlags } from './change.ts';
import { formatDryRun, formatPlaced } from './format-placed.ts';

/** Flags of a command that takes many runs. */
export interface OrderFlags extends ChangeFlags {
  readonly wait: boolean;
}

/** The flags of {@link OrderFlags}. */
export const ORDER_FLAGS = { ...CHANGE_FLAGS, wait: WAIT_FLAG } as const;

/** `sitecast replay`. */
export const replayCommand = buildCommand<
  OrderFlags & { since: string; until?: string },
  [],
  CliContext
>({
  docs: describe('replay', 'Tell the events of a time again, with the ids that they had', [
    '--stage prod --all --since 2026-11-22T09:00:00Z --until 2026-11-22T12:00:00Z',
    '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --since 2d --dry-run',
  ]),
  parameters: {
    flags: {
      ...ORDER_FLAGS,
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
    await order(this, flags, (scope) => ({ command: 'replay', scope, ...times }));
  },
});

/**
 * Places a command, and waits until it is carried out unless that is not wanted.
 *
 * @param makeRequest of the scope that the flags name.
 * @param conclude tells what the command came to.
 */
export async function order(
  context: CliContext,
  flags: OrderFlags,
  makeRequest: (scope: Scope) => OrderRequest,
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
