import type {
  JobsStatus,
  ListStatus,
  RunStatus,
  StatusAnswer,
  WebhookHealth,
} from '../../../functions/control/protocol.ts';
import { clip, countOf, formatAge, formatDuration, formatFields, formatTable } from '../format.ts';
import type { View } from '../operation.ts';
import { DISABLED_BY } from './webhooks.ts';

/** Formats the status for people: totals first, then the lists, one list with all its fields. */
export function formatStatus(answer: StatusAnswer, view: View, isOne = false): string {
  const lists = isOne
    ? answer.lists.flatMap(({ list, ...fields }) => [list, ...formatFields(fields)])
    : formatLists(answer, view);
  return [view.paint('bold', view.name), ...formatTotals(answer, view), '', ...lists].join('\n');
}

function formatTotals(answer: StatusAnswer, { paint, now, command }: View): string[] {
  const {
    totals,
    runs,
    jobs,
    quarantinedCount = 0,
    unmatchedProjects = [],
    webhooks = [],
  } = answer;
  const states = Object.entries(totals.byState).filter(([, count]) => count > 0);
  const rows: [string, string][] = [
    [
      countOf(totals.lists, 'list'),
      states
        .map(([state, count]) => [state, `${count} ${state}`] as const)
        .map(([state, text]) => (state === 'waiting' ? paint('red', text) : text))
        .join(', '),
    ],
    ...runs.map((run): [string, string] => [`shard ${run.shard}`, describeRun(run, now)]),
    ...[
      ...describeTrouble(answer, now, command),
      ...webhooks.map((each) => describeWebhook(each, now, command)),
    ].map(([name, text]): [string, string] => [paint('red', name), text]),
  ];
  if (answer.isAllPaused) rows.push(['paused', `all lists, until ${command('resume --all')}`]);
  if (quarantinedCount > 0) {
    const items = countOf(quarantinedCount, 'item');
    rows.push(['quarantine', `${items}: ${command('quarantine list')} shows them`]);
  }
  if (unmatchedProjects.length > 0) {
    const names = unmatchedProjects.map((entry) => JSON.stringify(entry)).join(', ');
    rows.push(['config', `projects has entries that select no project: ${names}`]);
  }
  for (const each of jobs) rows.push(describeCommand(each, now));
  return rows.map(([name, text]) => `  ${name}: ${text}`);
}

function describeRun({ completedAt, takenUntil }: RunStatus, now: number): string {
  const last =
    completedAt === undefined
      ? 'no run has completed yet'
      : `last run completed ${timeAndAge(completedAt, now)}`;
  if (takenUntil === undefined) return last;
  const isOver = Date.parse(takenUntil) < now;
  const taken = isOver
    ? `a run has died: its time ended at ${takenUntil}`
    : `a run is under way, or has died: no other starts before ${takenUntil}`;
  return `${last}; ${taken}`;
}

/** A webhook that is disabled or failing, by its name. */
function describeWebhook(
  webhook: WebhookHealth,
  now: number,
  command: View['command'],
): [string, string] {
  const { name, failingSince, disabledAt, disabledBy = 'operator' } = webhook;
  const since = disabledAt ?? failingSince ?? '';
  const [state, advice] =
    disabledAt === undefined
      ? ['failing', `${command(`webhooks attempts ${name}`)} shows why`]
      : [
          `disabled by ${DISABLED_BY[disabledBy]}`,
          `${command(`webhooks enable ${name}`)} delivers again`,
        ];
  return [`webhook ${name}`, `${state} since ${timeAndAge(since, now)}: ${advice}`];
}

/** The obstacles to polling, by their names. */
function describeTrouble(
  answer: StatusAnswer,
  now: number,
  command: View['command'],
): [string, string][] {
  const { token, outageSince, outageCause, limited } = answer;
  const trouble: [string, string][] = [];
  if (token === 'missing') trouble.push(['token', 'missing: put it, no list is polled']);
  if (token === 'refused') trouble.push(['token', 'refused: put a new one, no list is polled']);
  if (outageSince !== undefined) {
    const since = `no list could be read since ${timeAndAge(outageSince, now)}`;
    const cause = outageCause === undefined ? '' : `: ${outageCause}`;
    trouble.push(['outage', `${since}${cause}`]);
    trouble.push(['advice', `${command('retry --all')} ends the waits once the service is back`]);
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

/** Formats lists as a table that is cut to the width, each that waits with its cause. */
function formatLists(
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
      const { failures = 0, cause = 'failing', failingSince } = lists[index] ?? {};
      if (failures === 0) return [row];
      const since = failingSince === undefined ? '' : `since ${timeAndAge(failingSince, now)}: `;
      return [paint('red', row), `  ${since}${cause}`];
    }),
    ...(more > 0 ? [`… and ${more} more (--limit 0 shows all)`] : []),
  ];
}

function cellsOf(list: ListStatus, now: number): Readonly<Record<string, string>> {
  return {
    LIST: list.list,
    STATE: list.state,
    LAG: formatLag(list),
    FAILURES: String(list.failures ?? 0),
    'NEXT POLL': formatNextPoll(list, now),
    'LAST CHANGE':
      list.lastChangeAt === undefined ? '-' : `${formatAge(list.lastChangeAt, now)} ago`,
    CURSOR: list.cursor ?? '-',
  };
}

function formatLag(list: ListStatus): string {
  const { lagSeconds } = list;
  return lagSeconds === undefined || isLeftAlone(list) ? '-' : formatDuration(lagSeconds);
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
  return state === 'paused' || state === 'not-polled';
}

/** Counts in words, in this order. */
const COUNTED = {
  events: 'events',
  entities: 'entities read',
  withoutContent: 'without content',
  hidden: 'that their list did not show',
  forbidden: 'not to be asked for',
} as const satisfies Record<keyof JobsStatus['counts'], string>;

/** The outcomes of jobs, with the lists that were not done. */
export function formatJobs(jobs: JobsStatus): string[] {
  const tried = jobs.problems.filter(({ outcome }) => outcome !== 'skipped');
  return [
    `Done: ${describeJobs(jobs)}.`,
    ...tried.map(({ list, outcome, cause }) => `  ${list} ${outcome}: ${cause}`),
    ...Object.entries(jobs.skipped ?? {}).map(([cause, count]) => {
      const first = jobs.problems.find((each) => each.cause === cause);
      return `  ${count === 1 && first ? first.list : countOf(count, 'list')} skipped: ${cause}`;
    }),
  ];
}

/** The progress or the outcomes of jobs, in one line. */
function describeJobs({ lists, waiting, outcomes, counts }: JobsStatus): string {
  const names = Object.keys(COUNTED) as (keyof typeof COUNTED)[];
  return [
    waiting > 0 ? `${waiting} of ${countOf(lists, 'list')} left` : countOf(lists, 'list'),
    ...Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`),
    ...names.flatMap((name) => (counts[name] ? `${counts[name]} ${COUNTED[name]}` : [])),
  ].join(', ');
}
