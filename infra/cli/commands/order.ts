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
import { asTyped, type Report } from '../report.ts';
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
  details:
    'lists of deleted projects, and those in their first pass, are skipped; one that is paused or ' +
    'could not be compared makes the exit code 1',
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
  const { stack, request, flags, view, process } = exchange;
  const isDry = flags.dryRun === true;
  const answer = await changeLists(request, stack, process, isDry);
  const changed = formatChanged(answer, view);
  if (isDry || answer.listCount === 0) return { document: answer, text: changed };
  if (flags.json !== true) process.stdout.write(`${asTyped(changed)}\n`);
  const text = `The next runs go on with it. ${view.command('status')} shows how far they are.`;
  if (!flags.wait) return { document: answer, text };
  try {
    const jobs = await waitForJobs(answer, exchange);
    if (jobs === undefined) return { document: answer, text: 'It was cancelled.' };
    const failure = failureOf(jobs, answer.pausedCount);
    const document = { ...answer, jobs };
    return { document, text: formatJobs(jobs).join('\n'), ...(failure && { failure }) };
  } catch (error) {
    return { document: answer, failure: error as CliError };
  }
}

/**
 * Looks at the jobs of a command until none of them waits.
 *
 * @returns undefined when no list has them any more: they were cancelled.
 * @throws CliError if they cannot be done, or nothing was done for five minutes. The jobs go on.
 */
async function waitForJobs(
  { command, id, changedCount }: ChangedAnswer,
  { stack, view, process }: Exchange<OrderFlags, ChangeRequest>,
): Promise<JobsStatus | undefined> {
  const advice = `${view.command('status')} shows how far they are.`;
  if (changedCount === 0) throw new CliError(`No list is free: each has another job.`, advice);
  const stop = stopOnSignals(process);
  const line = new ProgressLine(process.stderr);
  line.show(`Waiting for the next runs to go on with ${command}`);
  const start = performance.now();
  let progressAt = start;
  let before = '';
  try {
    while (performance.now() - progressAt < WAIT_MS && !stop.aborted) {
      await delay(LOOK_EVERY_MS);
      const request = { command: 'status', limit: 0 } as const;
      const { jobs, isAllPaused } = await askControl(stack, request, command);
      const own = jobs.find((each) => each.id === id);
      if (own === undefined || own.waiting === 0) return own;
      // A replay reads the table alone.
      if (isAllPaused && command === 'reconcile') {
        const hint = `It goes on after: ${view.command('resume --all')}`;
        throw new CliError('All lists are paused: none is reconciled.', hint);
      }
      line.show(`${command} ${formatProgress(own.lists, own.waiting)}`);
      const text = JSON.stringify(own);
      if (text !== before) progressAt = performance.now();
      before = text;
    }
  } finally {
    line.end();
  }
  const waited = formatDuration((performance.now() - start) / 1000);
  throw new CliError(`Waiting ended after ${waited}: ${command} is not done yet.`, advice);
}

function failureOf(jobs: JobsStatus, pausedCount: number): CliError | undefined {
  const { incomplete = 0, stopped = 0, skipped = 0 } = jobs.outcomes;
  const paused = Math.min(pausedCount, skipped);
  const count = incomplete + stopped + paused;
  if (count === 0) return undefined;
  const hints = [
    stopped > 0 && 'Look at the lists that were stopped. If they are right, give --force.',
    paused > 0 && 'Resume the lists that are paused, and reconcile them again.',
    incomplete > 0 && 'Reconcile incomplete lists again once the service answers.',
  ];
  const failure = `${countOf(count, 'list was', 'lists were')} not reconciled.`;
  return new CliError(failure, hints.filter(Boolean).join('\n'));
}
