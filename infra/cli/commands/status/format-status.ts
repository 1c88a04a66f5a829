import type {
  CommandStatus,
  ListState,
  ListStatus,
  StatusAnswer,
} from '../../../../functions/control/protocol.ts';
import { countOf } from '../../../count-of.ts';
import { describeScope } from '../../flags.ts';
import { formatAge } from '../../terminal.ts';
import {
  ageOf,
  describeNextPoll,
  formatLag,
  formatLists,
  type ListsLayout,
} from './format-lists.ts';
import { wordOf } from './state-words.ts';

export interface StatusLayout extends ListsLayout {
  /** Of the stack. */
  readonly name: string;
  /** Whether one list was asked for, which is shown with all that is known of it. */
  readonly isOne?: boolean;
}

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
  const { totals, runs, commands } = answer;
  const states = Object.entries(totals.byState).filter(([, count]) => count > 0);
  const running = runs.filter(({ isRunning }) => isRunning).map(({ shard }) => shard);
  const rows = [
    [
      countOf(totals.lists, 'list'),
      states.map(([state, count]) => describeState(state as ListState, count, paint)).join(', '),
    ],
    ...(answer.isAllPaused
      ? [[paint('yellow', 'paused'), 'all lists, until sitecast resume --all']]
      : []),
    ...describeQuarantine(answer).map((text) => [paint('yellow', 'quarantine'), text]),
    ...describeUnmatched(answer).map((text) => [paint('yellow', 'config'), text]),
    [countOf(answer.shards, 'shard'), describeRuns(running, answer.shards)],
    ...describeToken(answer).map((text) => [paint('red', 'token'), text]),
    ...describeOutage(answer, now).map((text) => [paint('red', 'outage'), text]),
    ...describeLimit(answer, now).map((text) => [paint('yellow', 'limited'), text]),
    ...describeReconciliation(answer, now),
    ...commands.map((command) => [paint('yellow', 'command'), describeCommand(command, now)]),
  ];
  return [
    paint('bold', name),
    ...rows.map(([first = '', ...rest]) => [`${INDENT}${first}`, ...rest].join(': ')),
  ];
}

function describeState(state: ListState, count: number, paint: StatusLayout['paint']): string {
  const text = `${count} ${wordOf(state)}`;
  return state === 'waiting' ? paint('red', text) : text;
}

function describeQuarantine({ quarantinedCount = 0 }: StatusAnswer): string[] {
  if (quarantinedCount === 0) return [];
  return [`${countOf(quarantinedCount, 'item')}: sitecast quarantine list shows them`];
}

function describeUnmatched({ unmatchedProjects: entries = [] }: StatusAnswer): string[] {
  if (entries.length === 0) return [];
  const names = entries.map((entry) => JSON.stringify(entry)).join(', ');
  return [`projects has entries that select no project: ${names}`];
}

function describeToken({ token }: StatusAnswer): string[] {
  if (token === undefined) return [];
  return token === 'missing'
    ? ['missing at the last run, which polled no list for want of it']
    : ['refused by the service at the last run, which polled no list for want of another one'];
}

function describeOutage({ outageSince, outageCause }: StatusAnswer, now: number): string[] {
  if (outageSince === undefined) return [];
  const cause = outageCause === undefined ? '' : `: ${outageCause}`;
  return [`no list could be read, since ${timeAndAge(outageSince, now)}${cause}`];
}

function describeLimit({ limited }: StatusAnswer, now: number): string[] {
  if (limited === undefined) return [];
  const { since, until } = limited;
  return [`the service allows fewer requests, since ${timeAndAge(since, now)}, until ${until}`];
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
  const found = [`${countOf(counts.read, 'list')} compared`, `${healed} healed`];
  if (problems > 0) found.push(`${problems} not reconciled`);
  return [['reconciled', `${when}: ${found.join(', ')}`]];
}

function describeRuns(running: readonly number[], shardCount: number): string {
  if (running.length === 0) return 'no run at the moment';
  if (shardCount === 1) return 'a run is under way, its polls are told at its end';
  return running.length === 1
    ? `a run of shard ${running.join()} is under way, its polls are told at its end`
    : `runs of the shards ${running.join(', ')} are under way, their polls are told at their ends`;
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

function formatList(list: ListStatus, { paint, now }: StatusLayout): string[] {
  const time = (at: string | undefined): string => (at === undefined ? '-' : timeAndAge(at, now));
  const { failures = 0, failingSince, cause, saturatedAt } = list;
  const rows: [string, string][] = [
    ['state', wordOf(list.state)],
    ...(list.resource === undefined
      ? []
      : [['resource', list.resource] satisfies [string, string]]),
    ['cursor', list.cursor ?? '-'],
    ['last poll', time(list.lastPollAt)],
    ['lag', formatLag(list, now)],
    ['last change', time(list.lastChangeAt)],
    [
      'next poll',
      list.nextPollAt === undefined
        ? describeNextPoll(list, now)
        : `${list.nextPollAt} (${describeNextPoll(list, now)})`,
    ],
    ['failures', failures === 0 ? '0' : paint('red', `${failures} since ${time(failingSince)}`)],
    ...(cause === undefined ? [] : [['cause', cause] satisfies [string, string]]),
    ...(saturatedAt === undefined
      ? []
      : [['saturated', paint('red', saturatedAt)] satisfies [string, string]]),
  ];
  return [list.list, ...rows.map(([name, value]) => `${INDENT}${name.padEnd(11)}  ${value}`)];
}

function timeAndAge(time: string, now: number): string {
  return `${time} (${ageOf(time, now)} ago)`;
}
