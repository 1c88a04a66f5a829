import type { ChangedAnswer } from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { formatNames } from '../terminal.ts';

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

/** What a command would do, for people. */
export function formatChange(answer: ChangedAnswer): string {
  const { command, listCount, examples } = answer;
  return [
    `${command} would concern ${describeLists(listCount, examples)}.`,
    ...describeDeleted(answer),
    ...describePaused(answer),
    ...describeJobs(answer),
    'Nothing was changed.',
  ].join(' ');
}

/** What a command has done, for people. */
export function formatChanged(answer: ChangedAnswer): string {
  const { command, listCount, examples } = answer;
  return [
    `${DONE[command]} ${describeLists(listCount, examples)}.`,
    ...describeDeleted(answer),
    ...describePaused(answer),
    ...describeJobs(answer),
  ].join(' ');
}

function describeDeleted(answer: ChangedAnswer): readonly string[] {
  const { command, deletedCount, pausedCount, listCount } = answer;
  const isOfUse = command === 'retry' || command === 'rewind';
  // Where all are paused, that alone decides.
  if (!isOfUse || deletedCount === 0 || pausedCount === listCount) return [];
  const which = deletedCount === listCount ? 'All' : String(deletedCount);
  const outcome =
    command === 'rewind' ? 'they are read within an hour' : 'a retry changes nothing there';
  return [`${which} of them wait for their deleted project: ${outcome}.`];
}

function describePaused(answer: ChangedAnswer): readonly string[] {
  const { command, pausedCount, listCount, isAllPaused, changedCount } = answer;
  if (listCount === 0) return [];
  if (isAllPaused && command !== 'pause')
    return ['All lists are paused: none is polled before sitecast resume --all.'];
  if (command === 'resume' && changedCount === undefined && pausedCount === 0)
    return [listCount === 1 ? 'It is not paused.' : 'None of them is paused by itself.'];
  if (command === 'resume' || pausedCount === 0) return [];
  const which = pausedCount === listCount ? 'All of them' : `${pausedCount} of them`;
  const subject = listCount === 1 ? 'It' : which;
  const verb = pausedCount === 1 ? 'is' : 'are';
  if (command !== 'pause') return [`${subject} ${verb} paused: not polled before you resume.`];
  return changedCount === undefined ? [`${subject} ${verb} paused already.`] : [];
}

function describeJobs({ command, jobCount, listCount }: ChangedAnswer): readonly string[] {
  if (command === 'cancel' && listCount > 0)
    return [
      `${jobCount === 0 ? 'None' : jobCount} of them ${jobCount > 1 ? 'have' : 'has'} a job.`,
    ];
  if ((command !== 'replay' && command !== 'reconcile') || jobCount === 0) return [];
  const [has, gets] = jobCount === 1 ? ['has', 'gets'] : ['have', 'get'];
  return [
    `${jobCount} of them ${has} a job that is not over, and ${gets} no other: cancel it first.`,
  ];
}

/** `3 lists: a, b, c`. */
function describeLists(count: number, examples: readonly string[]): string {
  if (count === 0) return 'no list at the moment';
  return `${countOf(count, 'list')}: ${formatNames(examples.slice(0, SHOWN_NAMES), count)}`;
}
