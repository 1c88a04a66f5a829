import type { JobsStatus, StatusAnswer } from '../../../functions/control/protocol.ts';
import { countOf, formatAge, formatFields } from '../format.ts';
import type { View } from '../operation.ts';
import { describeJobs } from './format-jobs.ts';
import { formatLists } from './format-lists.ts';

/** Formats the status for people: totals first, then the lists, one list with all its fields. */
export function formatStatus(answer: StatusAnswer, view: View, isOne = false): string {
  const lists = isOne
    ? answer.lists.flatMap(({ list, ...fields }) => [list, ...formatFields(fields)])
    : formatLists(answer, view);
  return [view.paint('bold', view.name), ...formatTotals(answer, view), '', ...lists].join('\n');
}

function formatTotals(answer: StatusAnswer, { paint, now }: View): string[] {
  const { totals, shards, jobs, quarantinedCount = 0, unmatchedProjects = [] } = answer;
  const states = Object.entries(totals.byState).filter(([, count]) => count > 0);
  const rows: [string, string][] = [
    [
      countOf(totals.lists, 'list'),
      states
        .map(([state, count]) => [state, `${count} ${state}`] as const)
        .map(([state, text]) => (state === 'waiting' ? paint('red', text) : text))
        .join(', '),
    ],
    [countOf(shards, 'shard'), describeRuns(answer)],
    ...describeTrouble(answer, now).map(([name, text]): [string, string] => [
      paint('red', name),
      text,
    ]),
  ];
  if (answer.isAllPaused) rows.push(['paused', 'all lists, until sitecast resume --all']);
  if (quarantinedCount > 0) {
    const items = countOf(quarantinedCount, 'item');
    rows.push(['quarantine', `${items}: sitecast quarantine list shows them`]);
  }
  if (unmatchedProjects.length > 0) {
    const names = unmatchedProjects.map((entry) => JSON.stringify(entry)).join(', ');
    rows.push(['config', `projects has entries that select no project: ${names}`]);
  }
  for (const each of jobs) rows.push(describeCommand(each, now));
  return rows.map(([name, text]) => `  ${name}: ${text}`);
}

function describeRuns({ runs, shards }: StatusAnswer): string {
  const running = runs.filter(({ isRunning }) => isRunning).map(({ shard }) => shard);
  if (running.length === 0) return 'no run at the moment';
  return shards === 1 ? 'a run is under way' : `runs are under way: ${running.join(', ')}`;
}

/** What keeps lists from being polled, by its name. */
function describeTrouble(answer: StatusAnswer, now: number): [string, string][] {
  const { token, outageSince, outageCause, limited } = answer;
  const trouble: [string, string][] = [];
  if (token === 'missing') trouble.push(['token', 'missing, so that no list is polled']);
  if (token === 'refused') trouble.push(['token', 'refused by the service: no list is polled']);
  if (outageSince !== undefined) {
    const cause = outageCause === undefined ? '' : `: ${outageCause}`;
    trouble.push(['outage', `no list could be read since ${timeAndAge(outageSince, now)}${cause}`]);
  }
  if (limited !== undefined) {
    const since = timeAndAge(limited.since, now);
    const text = `the service allows fewer requests, since ${since}, until ${limited.until}`;
    trouble.push(['limited', text]);
  }
  return trouble;
}

function describeCommand(jobs: JobsStatus, now: number): [string, string] {
  return [jobs.command, `${timeAndAge(jobs.startedAt, now)}: ${describeJobs(jobs)}`];
}

function timeAndAge(time: string, now: number): string {
  return `${time} (${formatAge(time, now)} ago)`;
}
