import type { CountedEvents, PlacedAnswer } from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { formatNames } from '../terminal.ts';

/** Names of lists in a text. */
const SHOWN_NAMES = 3;

/** What a command would do, for people. */
export function formatDryRun(answer: PlacedAnswer): string {
  const { command, listCount, examples, counted } = answer;
  return [
    `${command} would concern ${describeLists(listCount, examples)}.`,
    ...(counted === undefined ? [] : [describeCounted(counted, listCount)]),
    ...describeDeleted(answer),
    ...describePaused(answer),
    'Nothing was changed.',
  ].join(' ');
}

/** What a command that was placed concerns, for people. */
export function formatPlaced(answer: PlacedAnswer): string {
  const { command, id = '', listCount, examples } = answer;
  return [
    `${command} concerns ${describeLists(listCount, examples)}.`,
    ...describeDeleted(answer),
    ...describePaused(answer),
    `Command ${id} is placed.`,
  ].join(' ');
}

function describeCounted({ eventCount, listCount }: CountedEvents, allCount: number): string {
  const events = countOf(eventCount, 'event');
  return listCount === allCount
    ? `It would tell ${events} again.`
    : `It would tell at least ${events} again: ${listCount} of the lists were counted in time.`;
}

function describeDeleted({
  command,
  deletedCount = 0,
  pausedCount,
  listCount,
}: PlacedAnswer): readonly string[] {
  // Where all are paused, that alone decides.
  if (deletedCount === 0 || pausedCount === listCount) return [];
  const which = deletedCount === listCount ? 'All' : String(deletedCount);
  const outcome =
    command === 'rewind' ? 'they are read within an hour' : 'a retry changes nothing there';
  return [`${which} of them wait for their deleted project: ${outcome}.`];
}

function describePaused({ command, pausedCount, listCount }: PlacedAnswer): readonly string[] {
  if (pausedCount === undefined || listCount === 0) return [];
  if (pausedCount === 0) return [listCount === 1 ? 'It is not paused.' : 'None of them is paused.'];
  if (command === 'resume') return [];
  const which = pausedCount === listCount ? 'All of them' : `${pausedCount} of them`;
  const subject = listCount === 1 ? 'It' : which;
  const outcome = command === 'pause' ? ' already.' : ': not polled before you resume.';
  return [`${subject} ${pausedCount === 1 ? 'is' : 'are'} paused${outcome}`];
}

function describeLists(count: number, examples: readonly string[]): string {
  if (count === 0) return 'no list at the moment';
  return `${countOf(count, 'list')}: ${formatNames(examples.slice(0, SHOWN_NAMES), count)}`;
}
