import type { ChangedAnswer } from '../../../functions/control/protocol.ts';
import { countOf } from '../format.ts';

/** Names of lists in a text. */
const SHOWN_NAMES = 3;

/** What a command has done, by its name. */
const DONE: Readonly<Record<ChangedAnswer['command'], string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  retry: 'To be polled with the next run:',
  rewind: 'Rewound',
  replay: 'To be replayed:',
  reconcile: 'To be reconciled:',
  cancel: 'Ended the jobs of',
};

/** Says for people what a command has done, or with `dryRun` would do. */
export function formatChanged(answer: ChangedAnswer): string {
  const { command, changedCount } = answer;
  const isDry = changedCount === undefined;
  return [
    `${isDry ? `${command} would concern` : DONE[command]} ${describeLists(answer)}.`,
    ...describePaused(answer),
    ...describeDeleted(answer),
    ...describeJobs(answer),
    ...(isDry ? ['Nothing was changed.'] : []),
  ].join(' ');
}

function describePaused({ command, pausedCount, isAllPaused }: ChangedAnswer): string[] {
  if (command === 'pause' || command === 'resume') return [];
  if (isAllPaused) return ['All lists are paused: none is polled before sitecast resume --all.'];
  return pausedCount > 0 ? [`Paused, and not polled before you resume: ${pausedCount}.`] : [];
}

function describeDeleted({ command, deletedCount }: ChangedAnswer): string[] {
  const isOfUse = command === 'retry' || command === 'rewind';
  return isOfUse && deletedCount > 0
    ? [`Parked, since their projects are deleted: ${deletedCount}.`]
    : [];
}

function describeJobs({ command, jobCount }: ChangedAnswer): string[] {
  if (command === 'cancel') return [`With a job: ${jobCount}.`];
  if (jobCount === 0 || (command !== 'replay' && command !== 'reconcile')) return [];
  return [`Already with a job, and without another one: ${jobCount}. Cancel it first.`];
}

/** `3 lists: a, b, c`. */
function describeLists({ listCount, examples }: ChangedAnswer): string {
  if (listCount === 0) return 'no list at the moment';
  const names = examples.slice(0, SHOWN_NAMES);
  const more = listCount - names.length;
  const others = more > 0 ? ` … and ${more} more` : '';
  return `${countOf(listCount, 'list')}: ${names.join(', ')}${others}`;
}
