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
    'Nothing was changed.',
  ].join(' ');
}

/** What a command that was placed concerns, for people. */
export function formatPlaced(answer: PlacedAnswer): string {
  const { command, id = '', listCount, examples } = answer;
  return [
    `${command} concerns ${describeLists(listCount, examples)}.`,
    `Command ${id} is placed.`,
  ].join(' ');
}

function describeCounted({ eventCount, listCount }: CountedEvents, allCount: number): string {
  const events = countOf(eventCount, 'event');
  return listCount === allCount
    ? `It would tell ${events} again.`
    : `It would tell at least ${events} again: ${listCount} of the lists were counted in time.`;
}

/** `3 lists: a, b, c`. */
export function describeLists(count: number, examples: readonly string[]): string {
  if (count === 0) return 'no list at the moment';
  return `${countOf(count, 'list')}: ${formatNames(examples.slice(0, SHOWN_NAMES), count)}`;
}
