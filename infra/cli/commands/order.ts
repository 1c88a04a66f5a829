import { setTimeout as delay } from 'node:timers/promises';
import type {
  ChangedAnswer,
  ChangeRequest,
  JobsStatus,
} from '../../../functions/control/protocol.ts';
import { CliError } from '../cli-error.ts';
import { askControl } from '../control-function.ts';
import { flag, pastTime, readScope, SCOPE_USAGE } from '../flags.ts';
import { countOf, formatDuration } from '../format.ts';
import { buildOperation, type Exchange } from '../operation.ts';
import type { Report } from '../report.ts';
import { formatProgress, ProgressLine, stopOnSignals } from '../terminal.ts';
import { CHANGE_FLAGS, changeLists, formatChanged, PROJECT, type ChangeFlags } from './change.ts';
import { formatJobs } from './format-status.ts';

interface OrderFlags extends ChangeFlags {
  readonly wait: boolean;
}

const ORDER_FLAGS = {
  ...CHANGE_FLAGS,
  wait: { kind: 'boolean', brief: 'Wait until it is done', default: true },
} as const;

const LOOK_EVERY_MS = 1000;
/** Waiting ends after this time without any progress. */
const WAIT_MS = 300_000;

export const replayCommand = buildOperation<OrderFlags & { since: string }, [], ChangeRequest>({
  path: 'replay',
  brief: 'Publish the events since a time again, with the same ids',
  usage: `${SCOPE_USAGE} --since <time> [flags]`,
  examples: ['--stage prod --all --since 2026-11-22T09:00:00Z', `${PROJECT} --since 2d --dry-run`],
  flags: {
    ...ORDER_FLAGS,
    since: pastTime('A time with its zone, a day, or an age: 2h, 3d'),
  },
  request: ({ since, ...flags }) => ({ command: 'replay', scope: readScope(flags), since }),
  report: order,
});

export const reconcileCommand = buildOperation<OrderFlags & { force?: true }, [], ChangeRequest>({
  path: 'reconcile',
  brief: 'Compare whole lists with the mirror, and publish the differences',
  usage: `${SCOPE_USAGE} [flags]`,
  examples: ['--stage prod --all', `${PROJECT} --dry-run`],
  flags: {
    ...ORDER_FLAGS,
    force: flag('Also if more of a list is missing than maxMissingShare'),
  },
  request: ({ force, ...flags }) => {
    return { command: 'reconcile', scope: readScope(flags), ...(force && { force }) };
  },
  report: order,
});

/** Gives lists jobs, and waits until they are done unless that is not wanted. */
async function order(exchange: Exchange<OrderFlags, ChangeRequest>): Promise<Report> {
  const { stack, request, flags, process } = exchange;
  const isDry = flags.dryRun === true;
  const answer = await changeLists(request, stack, process, isDry);
  if (isDry) return { document: answer, text: formatChanged(answer) };
  if (flags.json !== true) process.stdout.write(`${formatChanged(answer)}\n`);
  if (flags.wait) return waitForJobs(answer, exchange);
  const text = 'The next runs go on with it. sitecast status shows how far they are.';
  return { document: answer, text };
}

async function waitForJobs(
  answer: Pick<ChangedAnswer, 'id' | 'command'>,
  { stack, process }: Pick<Exchange<OrderFlags, ChangeRequest>, 'stack' | 'process'>,
): Promise<Report> {
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
    const jobs = await waitUntilDone(command, look, stopOnSignals(process));
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

/**
 * Looks at the jobs of a command until none of them waits.
 *
 * @param look the jobs; undefined when no list has them any more: they were cancelled.
 * @throws CliError if it is stopped, or nothing was done for five minutes. The jobs go on.
 */
async function waitUntilDone(
  command: string,
  look: () => Promise<JobsStatus | undefined>,
  stop: AbortSignal,
): Promise<JobsStatus | undefined> {
  const start = performance.now();
  let progressAt = start;
  let before = '';
  while (performance.now() - progressAt < WAIT_MS && !stop.aborted) {
    await delay(LOOK_EVERY_MS);
    const seen = await look();
    if (seen === undefined || seen.waiting === 0) return seen;
    const text = JSON.stringify(seen);
    if (text !== before) progressAt = performance.now();
    before = text;
  }
  throw new CliError(
    `Waiting ended after ${formatDuration((performance.now() - start) / 1000)}: ` +
      `${command} is not done yet.`,
    'It goes on: sitecast status shows how far it is, and sitecast cancel ends it.',
  );
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
