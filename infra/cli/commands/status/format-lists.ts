import type { ListStatus, StatusAnswer } from '../../../../functions/control/protocol.ts';
import { formatAge, formatTable, type Column, type Paint } from '../../terminal.ts';
import { wordOf } from './state-words.ts';

export interface ListsLayout {
  readonly paint: Paint;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Columns of the terminal; absent for pipes and files. */
  readonly width?: number | undefined;
}

/** A list as a row, by column. */
type Row = Readonly<Record<keyof typeof COLUMNS, string>>;

const COLUMNS = {
  list: { heading: 'LIST' },
  state: { heading: 'STATE' },
  lag: { heading: 'LAG', isNumber: true },
  lastChange: { heading: 'LAST CHANGE', isNumber: true },
  failures: { heading: 'FAILURES', isNumber: true },
  nextPoll: { heading: 'NEXT POLL', isNumber: true },
  cursor: { heading: 'CURSOR' },
} as const satisfies Record<string, Column>;

/** What a narrow terminal does without, in this order; `id` is the end of ids. */
const SPARED = ['cursor', 'id', 'failures', 'lastChange', 'nextPoll'] as const;
const UUID = /([0-9a-f]{8})-[0-9a-f-]{27}/g;
const INDENT = '  ';

/** Formats lists as a table that fits the width, each that waits with its cause. */
export function formatLists({ lists, matchCount }: StatusAnswer, layout: ListsLayout): string[] {
  const { paint, now, width = Infinity } = layout;
  if (matchCount === 0) return ['No list matches.'];
  const { lines, isCut } = fitTable(
    lists.map((list) => rowOf(list, now)),
    width,
  );
  const [header = '', ...rows] = lines;
  const more = matchCount - lists.length;
  return [
    paint('dim', header),
    ...rows.flatMap((row, index) => {
      const { failures = 0, cause } = lists[index] ?? {};
      if (failures === 0) return [row];
      return [paint('red', row), ...(cause === undefined ? [] : [`${INDENT}${cause}`])];
    }),
    ...(more > 0 ? [`… and ${more} more (--limit 0 shows all)`] : []),
    ...(isCut ? [paint('dim', 'Cut to the width of the terminal; --json has all.')] : []),
  ];
}

function rowOf(list: ListStatus, now: number): Row {
  return {
    list: list.list,
    state: wordOf(list.state),
    lag: formatLag(list, now),
    lastChange: list.lastChangeAt === undefined ? '-' : `${ageOf(list.lastChangeAt, now)} ago`,
    failures: String(list.failures ?? 0),
    nextPoll: describeNextPoll(list, now),
    cursor: list.cursor ?? '-',
  };
}

/** The table with as many columns as the width has room for. */
function fitTable(rows: readonly Row[], width: number): { lines: string[]; isCut: boolean } {
  const isFailing = rows.some(({ failures }) => failures !== '0');
  const spared = SPARED.filter((each) => each !== 'failures' || !isFailing);
  for (let count = 0; count <= spared.length; count += 1) {
    const lines = tableWithout(new Set(spared.slice(0, count)), rows);
    const isLast = count === spared.length;
    if (isLast || lines.every(({ length }) => length <= width)) {
      return { lines: lines.map((line) => clip(line, width)), isCut: count > 0 };
    }
  }
  return { lines: [], isCut: false };
}

function tableWithout(
  spared: ReadonlySet<(typeof SPARED)[number]>,
  rows: readonly Row[],
): string[] {
  const keys = (Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]).filter(
    (key) => !(spared as ReadonlySet<string>).has(key),
  );
  const shorten = (text: string): string => (spared.has('id') ? text.replace(UUID, '$1…') : text);
  return formatTable(
    keys.map((key) => COLUMNS[key]),
    rows.map((row) => keys.map((key) => (key === 'list' ? shorten(row[key]) : row[key]))),
  );
}

function clip(line: string, width: number): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(width - 1, 0))}…`;
}

/**
 * The time since the last poll. Of a list that only fails at least the time since it fails: it was polled with
 * success before. A list that is not to be polled does not lag.
 */
export function formatLag(list: ListStatus, now: number): string {
  const { lagSeconds, failingSince } = list;
  if (isLeftAlone(list)) return '-';
  if (lagSeconds !== undefined) return formatAge(lagSeconds);
  return failingSince === undefined ? '-' : `> ${ageOf(failingSince, now)}`;
}

/** When a list is polled next: by its own wait, or by the order of the scheduler. */
export function describeNextPoll(list: ListStatus, now: number): string {
  const { nextPollAt } = list;
  if (isLeftAlone(list)) return '-';
  const seconds = nextPollAt === undefined ? 0 : (Date.parse(nextPollAt) - now) / 1000;
  return seconds < 1 ? 'due' : `in ${formatAge(seconds)}`;
}

/** Whether a list is not to be polled, by the will of an operator. */
function isLeftAlone({ state }: ListStatus): boolean {
  return state === 'paused' || state === 'not polled';
}

/** @param time ISO 8601. */
export function ageOf(time: string, now: number): string {
  return formatAge((now - Date.parse(time)) / 1000);
}
