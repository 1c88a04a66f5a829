import type { ListStatus, StatusAnswer } from '../../../functions/control/protocol.ts';
import { clip, formatAge, formatDuration, formatTable } from '../format.ts';
import type { View } from '../operation.ts';

/** Formats lists as a table that is cut to the width, each that waits with its cause. */
export function formatLists(
  { lists, matchCount }: StatusAnswer,
  { paint, now, width = Infinity }: Pick<View, 'paint' | 'now' | 'width'>,
): string[] {
  if (matchCount === 0) return ['No list matches.'];
  const [header = '', ...rows] = formatTable(lists.map((list) => cellsOf(list, now))).map((line) =>
    clip(line, width),
  );
  const more = matchCount - lists.length;
  return [
    paint('dim', header),
    ...rows.flatMap((row, index) => {
      const { failures = 0, cause } = lists[index] ?? {};
      if (failures === 0) return [row];
      return [paint('red', row), ...(cause === undefined ? [] : [`  ${cause}`])];
    }),
    ...(more > 0 ? [`… and ${more} more (--limit 0 shows all)`] : []),
  ];
}

function cellsOf(list: ListStatus, now: number): Readonly<Record<string, string>> {
  return {
    LIST: list.list,
    STATE: list.state,
    LAG: formatLag(list, now),
    FAILURES: String(list.failures ?? 0),
    'NEXT POLL': formatNextPoll(list, now),
    'LAST CHANGE':
      list.lastChangeAt === undefined ? '-' : `${formatAge(list.lastChangeAt, now)} ago`,
    CURSOR: list.cursor ?? '-',
  };
}

/**
 * The time since the last poll. Of a list that only fails at least the time since it fails: it was
 * polled with success before.
 */
function formatLag(list: ListStatus, now: number): string {
  const { lagSeconds, failingSince } = list;
  if (isLeftAlone(list)) return '-';
  if (lagSeconds !== undefined) return formatDuration(lagSeconds);
  return failingSince === undefined ? '-' : `> ${formatAge(failingSince, now)}`;
}

/** When a list is polled next: by its own wait, or by the order of the scheduler. */
function formatNextPoll(list: ListStatus, now: number): string {
  if (isLeftAlone(list)) return '-';
  const { nextPollAt } = list;
  const seconds = nextPollAt === undefined ? 0 : (Date.parse(nextPollAt) - now) / 1000;
  return seconds < 1 ? 'due' : `in ${formatDuration(seconds)}`;
}

/** Whether a list is not to be polled, by the will of an operator. */
function isLeftAlone({ state }: ListStatus): boolean {
  return state === 'paused' || state === 'not polled';
}
