import { buildCommand } from '@stricli/core';
import type {
  ChangedAnswer,
  ChangeRequest,
  JobsStatus,
} from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { CliError } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import { findStack, type Stack } from '../find-stack.ts';
import { flag, readScope, WAIT_FLAG, type Scope } from '../flags.ts';
import { reporting, type Report } from '../report.ts';
import { stopOnSignals } from '../stop-on-signals.ts';
import { formatProgress, ProgressLine, type CliContext } from '../terminal.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { CHANGE_FLAGS, changeLists, describe, TIME_FLAG, type ChangeFlags } from './change.ts';
import { formatChange, formatChanged } from './format-changed.ts';
import { formatJobs } from './format-jobs.ts';

/** Flags of a command that gives lists jobs. */
interface OrderFlags extends ChangeFlags {
  readonly wait: boolean;
}

const ORDER_FLAGS = { ...CHANGE_FLAGS, wait: WAIT_FLAG } as const;

/** `sitecast replay`. */
export const replayCommand = buildCommand<OrderFlags & { since: string }, [], CliContext>({
  docs: describe('replay', 'Publish the events since a time again, with the ids that they had', [
    '--stage prod --all --since 2026-11-22T09:00:00Z',
    '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --since 2d --dry-run',
  ]),
  parameters: {
    flags: {
      ...ORDER_FLAGS,
      since: { ...TIME_FLAG, brief: 'Changes since this time with its zone, day, or age: 2h, 3d' },
    },
  },
  async func({ since, ...flags }) {
    await order(this, flags, (scope) => ({ command: 'replay', scope, since }));
  },
});

/** `sitecast reconcile`. */
export const reconcileCommand = buildCommand<OrderFlags & { force?: boolean }, [], CliContext>({
  docs: describe('reconcile', 'Read whole lists, compare them, and publish what differs', [
    '--stage prod --all',
    '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec --dry-run',
    '--stage prod --resource floorplans --force',
  ]),
  parameters: {
    flags: {
      ...ORDER_FLAGS,
      force: flag(
        'Also where more of a list is missing than config allows; each entity is still asked for',
      ),
    },
  },
  async func({ force, ...flags }) {
    const fields = force === true ? { force } : {};
    await order(this, flags, (scope) => ({ command: 'reconcile', scope, ...fields }));
  },
});

/**
 * Gives lists jobs, and waits until they are done unless that is not wanted.
 *
 * @param makeRequest of the scope that the flags name.
 */
async function order(
  context: CliContext,
  flags: OrderFlags,
  makeRequest: (scope: Scope) => ChangeRequest,
): Promise<void> {
  await reporting(context, flags.json, async () => {
    const request = makeRequest(readScope(flags));
    const stack = await findStack(flags);
    const isDry = flags.dryRun === true;
    const answer = await changeLists(request, stack, context, isDry);
    if (isDry) return { document: answer, text: formatChange(answer) };
    if (flags.json !== true) context.process.stdout.write(`${formatChanged(answer)}\n`);
    return waitForJobs(answer, stack, context, flags.wait);
  });
}

/** Waits until the jobs of a command are done, unless that is not wanted. */
export async function waitForJobs(
  answer: Pick<ChangedAnswer, 'id' | 'command'>,
  stack: Stack,
  { process }: CliContext,
  isWanted: boolean,
): Promise<Report> {
  if (!isWanted) {
    const text = 'The next runs go on with it. sitecast status shows how far they are.';
    return { document: answer, text };
  }
  const { command } = answer;
  const line = new ProgressLine(process.stderr);
  line.show(`Waiting for the next runs to go on with ${command}`);
  const look = async (): Promise<JobsStatus | undefined> => {
    const { jobs } = await askControl(stack, { command: 'status', limit: 0 }, command);
    const own = jobs.find(({ id }) => id === answer.id);
    if (own !== undefined) line.show(`${command} ${formatProgress(own.lists, own.waiting)}`);
    return own;
  };
  try {
    const jobs = await waitUntilDone(command, look, stopOnSignals(process.stdout));
    const document = { ...answer, ...(jobs && { jobs }) };
    if (jobs === undefined) return { document, text: 'It was cancelled.' };
    const failure = failureOf(jobs);
    return { document, text: formatJobs(jobs).join('\n'), ...(failure && { failure }) };
  } catch (error) {
    return { document: answer, failure: error as Error };
  } finally {
    line.end();
  }
}

function failureOf({ outcomes }: JobsStatus): CliError | undefined {
  const { incomplete = 0, stopped = 0 } = outcomes;
  const count = incomplete + stopped;
  if (count === 0) return undefined;
  return new CliError(
    `${countOf(count, 'list was', 'lists were')} not reconciled.`,
    stopped > 0
      ? 'Look at the lists that were stopped. If they are right, give --force.'
      : 'Reconcile these lists again once the service answers.',
  );
}
