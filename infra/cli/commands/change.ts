import type { ChangedAnswer, ChangeRequest } from '../../../functions/control/protocol.ts';
import { askControl } from '../control-function.ts';
import type { Stack } from '../find-stack.ts';
import {
  ALL_FLAG,
  DRY_RUN_FLAG,
  pastTime,
  readScope,
  SCOPE_FLAGS,
  SCOPE_USAGE,
  type ScopeFlags,
} from '../flags.ts';
import { countOf } from '../format.ts';
import { buildOperation, type Exchange, type OperationFlags, type View } from '../operation.ts';
import { formatProgress, ProgressLine, type CliContext } from '../terminal.ts';

export interface ChangeFlags extends OperationFlags, ScopeFlags {
  readonly dryRun?: boolean | undefined;
}

interface RewindFlags extends ChangeFlags {
  readonly to: string;
}

/** The flags of {@link ChangeFlags} that only such a command has. */
export const CHANGE_FLAGS = { ...SCOPE_FLAGS, all: ALL_FLAG, dryRun: DRY_RUN_FLAG } as const;

const SHOWN_NAMES = 3;

const DONE: Readonly<Record<ChangedAnswer['command'], string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  retry: 'Ended the wait of',
  rewind: 'Rewound',
  replay: 'To be replayed:',
  reconcile: 'To be reconciled:',
  cancel: 'Ended the jobs of',
};

const LIST = '--stage prod --list projects/876c7fcc-4f08-4090-945e-d20f16c243ec/floorplans';
export const PROJECT = '--stage prod --project 876c7fcc-4f08-4090-945e-d20f16c243ec';

export const pauseCommand = scopeCommand('pause', 'Stop polling lists; they keep their cursors');
export const resumeCommand = scopeCommand('resume', 'Poll paused lists again, from their cursors');
export const retryCommand = scopeCommand('retry', 'Poll waiting lists now');
export const cancelCommand = scopeCommand('cancel', 'End the jobs of lists; published events stay');

export const rewindCommand = buildOperation<RewindFlags, [], ChangeRequest>({
  path: 'rewind',
  brief: 'Read lists again from a time; unchanged entities raise no event',
  usage: `${SCOPE_USAGE} --to <time> [flags]`,
  examples: [`${PROJECT} --to 2026-11-22`, '--stage prod --all --to 3d --dry-run'],
  flags: { ...CHANGE_FLAGS, to: pastTime('A time with its zone, a day, or an age: 90min, 2h, 3d') },
  request: ({ to, ...flags }) => ({ command: 'rewind', scope: readScope(flags), to }),
  report: change,
});

/** A command that needs a scope and nothing else. */
function scopeCommand(command: 'pause' | 'resume' | 'retry' | 'cancel', brief: string) {
  return buildOperation<ChangeFlags, [], ChangeRequest>({
    ...{ path: command, brief, flags: CHANGE_FLAGS, report: change },
    usage: `${SCOPE_USAGE} [flags]`,
    examples: [LIST, PROJECT, '--stage prod --all --dry-run'],
    request: (flags) => ({ command, scope: readScope(flags) }),
  });
}

async function change(exchange: Exchange<ChangeFlags, ChangeRequest>) {
  const { stack, request, flags, view, process } = exchange;
  const answer = await changeLists(request, stack, process, flags.dryRun === true);
  return { document: answer, text: formatChanged(answer, view) };
}

/** Asks until all lists are changed. @returns the first answer, with the count of all. */
export async function changeLists(
  request: ChangeRequest,
  stack: Stack,
  { stderr }: CliContext['process'],
  isDry: boolean,
): Promise<ChangedAnswer> {
  if (isDry) return askControl(stack, { ...request, dryRun: true });
  const line = new ProgressLine(stderr);
  try {
    const { next, leftCount, ...first } = await askControl(stack, request);
    const id = first.id === undefined ? {} : { id: first.id };
    let { changedCount = 0 } = first;
    let left = { next, leftCount };
    while (left.next !== undefined) {
      line.show(`${first.command} ${formatProgress(first.listCount, left.leftCount ?? 0)}`);
      const answer = await askControl(stack, { ...request, ...id, after: left.next });
      changedCount += answer.changedCount ?? 0;
      left = { next: answer.next, leftCount: answer.leftCount };
    }
    return { ...first, changedCount };
  } finally {
    line.end();
  }
}

/** The result of a command in words, or with `dryRun` its would-be result. */
export function formatChanged(answer: ChangedAnswer, view: Pick<View, 'command'>): string {
  const { command, listCount, pausedCount, isAllPaused, deletedCount, jobCount } = answer;
  const { changedCount = listCount } = answer;
  const isDry = answer.changedCount === undefined;
  const isPolled = command === 'retry' || command === 'rewind';
  const isResume = command === 'resume';
  const leftCount = listCount - changedCount;
  const notes = {
    [`Paused already: ${leftCount}.`]: leftCount > 0 && command === 'pause',
    [`Not paused by themselves: ${leftCount}.`]:
      leftCount > 0 && isResume && pausedCount === changedCount,
    [`Paused by themselves, until you resume them: ${pausedCount}.`]:
      isResume && pausedCount > 0 && pausedCount !== changedCount,
    [`All lists are paused: ${view.command('resume --all')} ends that.`]:
      isAllPaused && (isPolled || isResume || command === 'reconcile'),
    [`Paused, and not polled before you resume: ${pausedCount}.`]: pausedCount > 0 && isPolled,
    [`Paused, and skipped: ${pausedCount}.`]: pausedCount > 0 && command === 'reconcile',
    [`Parked, since their projects are deleted: ${deletedCount}.`]:
      deletedCount > 0 && (isPolled || isResume),
    [`With a job that is not over: ${jobCount}.`]:
      jobCount > 0 &&
      (['replay', 'reconcile'].includes(command) || (isDry && command === 'cancel')),
    'Nothing was changed.': isDry,
  };
  return [
    `${isDry ? `${command} would concern` : DONE[command]} ${describeLists(answer)}.`,
    ...Object.entries(notes).flatMap(([note, applies]) => (applies ? note : [])),
  ].join(' ');
}

/** `3 lists: a, b, c`; `1 of 3 lists: a` if the others were so before. */
function describeLists({ listCount, examples, changedCount = listCount }: ChangedAnswer): string {
  if (listCount === 0) return 'no list at the moment';
  const names = examples.slice(0, SHOWN_NAMES);
  const more = changedCount - names.length;
  const others = more > 0 ? ` … and ${more} more` : '';
  const changed = changedCount === listCount ? '' : `${changedCount} of `;
  const named = names.length > 0 ? `: ${names.join(', ')}${others}` : '';
  return `${changed}${countOf(listCount, 'list')}${named}`;
}
