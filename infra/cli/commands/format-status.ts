import type {
  CommandStatus,
  ListStatus,
  StatusAnswer,
} from '../../../functions/control/protocol.ts';
import { countOf } from '../../count-of.ts';
import { describeScope } from '../flags.ts';
import { formatAge, formatTable, type Column, type Paint } from '../terminal.ts';

export interface StatusLayout {
  /** Of the stack. */
  readonly name: string;
  readonly paint: Paint;
  /** Whether one list was asked for, which is shown with all that is known of it. */
  readonly isOne?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const COLUMNS: readonly Column[] = [
  { heading: 'LIST' },
  { heading: 'STATE' },
  { heading: 'LAG', isNumber: true },
  { heading: 'LAST CHANGE', isNumber: true },
  { heading: 'FAILURES', isNumber: true },
  { heading: 'NEXT POLL', isNumber: true },
  { heading: 'CURSOR' },
];

const INDENT = '  ';

/** Formats the status for people: totals first, then the lists. */
export function formatStatus(answer: StatusAnswer, layout: StatusLayout): string {
  const { isOne = false } = layout;
  const shown = isOne
    ? answer.lists.flatMap((list) => formatList(list, layout))
    : formatLists(answer, layout);
  return [...formatTotals(answer, layout), '', ...shown].join('\n');
}

function formatTotals(answer: StatusAnswer, { name, paint, now }: StatusLayout): string[] {
  const { totals, runs, outageSince, commands } = answer;
  const states = Object.entries(totals.byState).filter(([, count]) => count > 0);
  const running = runs.filter(({ isRunning }) => isRunning).map(({ shard }) => shard);
  const rows = [
    [`${totals.lists} lists`, states.map(([state, count]) => `${count} ${state}`).join(', ')],
    [totals.failing > 0 ? paint('red', `${totals.failing} failing`) : 'none failing'],
    [countOf(answer.shards, 'shard'), describeRuns(running)],
    ...(outageSince === undefined
      ? []
      : [
          [
            paint('red', 'outage'),
            `the whole service fails, since ${timeAndAge(outageSince, now)}`,
          ],
        ]),
    ...describeReconciliation(answer, now),
    ...commands.map((command) => [paint('yellow', 'command'), describeCommand(command, now)]),
  ];
  return [
    paint('bold', name),
    ...rows.map(([first = '', ...rest]) => [`${INDENT}${first}`, ...rest].join(': ')),
  ];
}

/** The last reconciliation, or how far it is: `12 lists compared, 3 healed, 1 not reconciled`. */
function describeReconciliation({ reconciliation }: StatusAnswer, now: number): string[][] {
  if (reconciliation === undefined) return [];
  const { counts, healed, startedAt, finishedAt } = reconciliation;
  const problems = counts.failed + counts.stopped;
  const when =
    finishedAt === undefined
      ? `under way, since ${timeAndAge(startedAt, now)}`
      : timeAndAge(finishedAt, now);
  const found = [`${counts.read} lists compared`, `${healed} healed`];
  if (problems > 0) found.push(`${problems} not reconciled`);
  return [['reconciled', `${when}: ${found.join(', ')}`]];
}

function describeRuns(running: readonly number[]): string {
  if (running.length === 0) return 'no run at the moment';
  return `a run of ${running.length === 1 ? 'shard' : 'shards'} ${running.join(', ')} at the moment`;
}

/** `pause project 1, placed 2 min ago, to be carried out in 5 of 16 partitions of lists`. */
/** What was done, where its kind does not say so. */
const COUNTED: Readonly<Record<string, string>> = {
  lists: 'lists done',
  events: 'events done',
  withoutContent: 'without content',
};

function describeCommand(
  { id, command, scope, placedAt, partitions, progress }: CommandStatus,
  now: number,
): string {
  const age = formatAge((now - Date.parse(placedAt)) / 1000);
  const what = `${command} ${describeScope(scope)}, placed ${age} ago`;
  if (progress === undefined) {
    return `${what}, to be carried out in ${partitions} of 16 partitions of lists (${id})`;
  }
  const { listsLeft, counts } = progress;
  const done = Object.entries(counts).filter(([, count]) => count > 0);
  const sofar = done.map(([kind, count]) => `, ${count} ${COUNTED[kind] ?? kind}`).join('');
  return `${what}, ${countOf(listsLeft, 'list')} left${sofar} (${id})`;
}

function formatLists({ lists, matchCount }: StatusAnswer, { paint, now }: StatusLayout): string[] {
  if (matchCount === 0) return ['No list is selected.'];
  const [header = '', ...lines] = formatTable(
    COLUMNS,
    lists.map((list) => [
      list.list,
      list.state,
      list.lagSeconds === undefined ? '-' : formatAge(list.lagSeconds),
      list.lastChangeAt === undefined ? '-' : `${ageOf(list.lastChangeAt, now)} ago`,
      String(list.failures ?? 0),
      describeNextPoll(list, now),
      list.cursor ?? '-',
    ]),
  );
  const more = matchCount - lists.length;
  return [
    paint('dim', header),
    ...lines.flatMap((line, index) => {
      const { failures = 0, cause } = lists[index] ?? {};
      if (failures === 0) return [line];
      return [paint('red', line), ...(cause === undefined ? [] : [`${INDENT}${cause}`])];
    }),
    ...(more > 0 ? [`… and ${more} more (--limit 0 shows all)`] : []),
  ];
}

function formatList(list: ListStatus, { paint, now }: StatusLayout): string[] {
  const time = (at: string | undefined): string => (at === undefined ? '-' : timeAndAge(at, now));
  const { failures = 0, failingSince, cause } = list;
  const rows: [string, string][] = [
    ['state', list.state],
    ...(list.resource === undefined
      ? []
      : [['resource', list.resource] satisfies [string, string]]),
    ['cursor', list.cursor ?? '-'],
    ['last poll', time(list.lastPollAt)],
    ['lag', list.lagSeconds === undefined ? '-' : formatAge(list.lagSeconds)],
    ['last change', time(list.lastChangeAt)],
    [
      'next poll',
      list.nextPollAt === undefined
        ? describeNextPoll(list, now)
        : `${list.nextPollAt} (${describeNextPoll(list, now)})`,
    ],
    ['failures', failures === 0 ? '0' : paint('red', `${failures} since ${time(failingSince)}`)],
    ...(cause === undefined ? [] : [['cause', cause] satisfies [string, string]]),
  ];
  return [list.list, ...rows.map(([name, value]) => `${INDENT}${name.padEnd(11)}  ${value}`)];
}

/** When a list is polled next: by its own wait, or by the order of the scheduler. */
function describeNextPoll({ state, nextPollAt }: ListStatus, now: number): string {
  if (state === 'paused' || state === 'not polled') return '-';
  const seconds = nextPollAt === undefined ? 0 : (Date.parse(nextPollAt) - now) / 1000;
  return seconds < 1 ? 'due' : `in ${formatAge(seconds)}`;
}

function ageOf(time: string, now: number): string {
  return formatAge((now - Date.parse(time)) / 1000);
}

function timeAndAge(time: string, now: number): string {
  return `${time} (${ageOf(time, now)} ago)`;
}
