import type {
  JobsStatus,
  ListState,
  ListStatus,
  StatusAnswer,
} from '../../../../functions/control/protocol.ts';
import { countOf } from '../../../count-of.ts';
import { describeJobs } from '../format-jobs.ts';
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
  const { totals, runs, jobs } = answer;
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
    ...jobs.map((each) => describeJob(each, paint, now)),
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

function describeRuns(running: readonly number[], shardCount: number): string {
  if (running.length === 0) return 'no run at the moment';
  if (shardCount === 1) return 'a run is under way, its polls are told at its end';
  return running.length === 1
    ? `a run of shard ${running.join()} is under way, its polls are told at its end`
    : `runs of the shards ${running.join(', ')} are under way, their polls are told at their ends`;
}

function describeJob(jobs: JobsStatus, paint: StatusLayout['paint'], now: number): string[] {
  const { command, startedAt, waiting } = jobs;
  const name = waiting > 0 ? paint('yellow', command) : command;
  return [name, `${timeAndAge(startedAt, now)}: ${describeJobs(jobs)}`];
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
    ...(list.job ? [['job', describeOne(list.job)] satisfies [string, string]] : []),
  ];
  return [list.list, ...rows.map(([name, value]) => `${INDENT}${name.padEnd(11)}  ${value}`)];
}

function describeOne({ name, outcome, cause }: NonNullable<ListStatus['job']>): string {
  return `${name}: ${outcome ?? 'goes on'}${cause === undefined ? '' : `, ${cause}`}`;
}

function timeAndAge(time: string, now: number): string {
  return `${time} (${ageOf(time, now)} ago)`;
}
