import { describe, expect, it } from 'vitest';
import type { ListStatus, StatusAnswer } from '../../../functions/control/protocol.ts';
import { formatJobs, formatStatus } from '../../../infra/cli/commands/format-status.ts';
import { formatDuration } from '../../../infra/cli/format.ts';

const PROJECTS: ListStatus = {
  list: 'projects',
  resource: 'projects',
  state: 'live',
  cursor: '2026-11-22T09:59:00.000Z',
  lastPollAt: '2026-11-22T09:59:48.000Z',
  lastChangeAt: '2026-11-22T08:00:00.000Z',
  lagSeconds: 12,
};
const WAITING: ListStatus = {
  list: 'projects/1/floorplans',
  projectId: '1',
  resource: 'floorplans',
  state: 'waiting',
  cursor: '2026-11-22T09:00:00.000Z',
  lagSeconds: 3600,
  failures: 7,
  failingSince: '2026-11-22T09:00:00.000Z',
  cause: 'The service answered 500',
  nextPollAt: '2026-11-22T10:04:00.000Z',
};
const PAUSED: ListStatus = { list: 'projects/2/floorplans', state: 'paused', lagSeconds: 100_000 };

const ANSWER: StatusAnswer = {
  command: 'status',
  shards: 2,
  totals: {
    lists: 4,
    byState: { live: 1, baseline: 1, waiting: 1, paused: 1, parked: 0, 'not-polled': 0 },
  },
  outageSince: '2026-11-22T09:30:00.000Z',
  outageCause: 'GET /projects was answered with 500',
  runs: [
    { shard: 0, completedAt: '2026-11-22T09:59:30.000Z' },
    { shard: 1, takenUntil: '2026-11-22T09:58:00.000Z' },
  ],
  matchCount: 4,
  lists: [PROJECTS, WAITING, PAUSED],
  jobs: [
    {
      id: '2026-11-22T09:58:00.000Z-abcd',
      command: 'reconcile',
      startedAt: '2026-11-22T09:58:00.000Z',
      ...{ lists: 41, waiting: 3 },
      outcomes: { compared: 37, stopped: 1 },
      counts: { events: 7, entities: 20_417, hidden: 1 },
      problems: [{ list: 'projects/1/floorplans', outcome: 'stopped', cause: '12 of 14 missing.' }],
    },
  ],
};
const LAYOUT = {
  name: 'Sitecast-prod',
  paint: (_: string, text: string) => text,
  now: Date.parse('2026-11-22T10:00:00.000Z'),
  command: (words: string) => `sitecast ${words} --local`,
};

describe('the status for people', () => {
  it('shows totals, then aligned lists, and why one fails', () => {
    expect(formatStatus(ANSWER, LAYOUT)).toBe(
      `Sitecast-prod
  4 lists: 1 live, 1 baseline, 1 waiting, 1 paused
  shard 0: last run completed 2026-11-22T09:59:30.000Z (30 s ago)
  shard 1: no run has completed yet; a run has died: its time ended at 2026-11-22T09:58:00.000Z
  outage: no list could be read since 2026-11-22T09:30:00.000Z (30 min ago): GET /projects was answered with 500
  advice: sitecast retry --all --local ends the waits once the service is back
  reconcile: 2026-11-22T09:58:00.000Z (2 min ago): 3 of 41 lists left, 37 compared, 1 stopped, 7 events, 20417 entities read, 1 that their list did not show

LIST                   STATE     LAG  FAILURES  NEXT POLL  LAST CHANGE  CURSOR
projects               live     12 s         0        due      2 h ago  2026-11-22T09:59:00.000Z
projects/1/floorplans  waiting   1 h         7   in 4 min            -  2026-11-22T09:00:00.000Z
  since 2026-11-22T09:00:00.000Z (1 h ago): The service answered 500
projects/2/floorplans  paused      -         0          -            -  -
… and 1 more (--limit 0 shows all)`,
    );
  });

  it.each<[Partial<StatusAnswer>, RegExp]>([
    [{ unmatchedProjects: ['17', '4711'] }, /^ {2}config: .*: "17", "4711"$/m],
    [{ token: 'missing' }, /^ {2}token: missing/m],
    [{ token: 'refused' }, /^ {2}token: refused/m],
    [{ isAllPaused: true }, /^ {2}paused: all lists, until sitecast resume --all --local$/m],
    [{ quarantinedCount: 2 }, /^ {2}quarantine: 2 items/m],
    [{ limited: { since: ANSWER.outageSince ?? '', until: 'x' } }, /^ {2}limited: .*, until x$/m],
    [{ runs: [{ shard: 0, takenUntil: '2026-11-22T10:01:00.000Z' }] }, /under way, or has died/],
    [
      { webhooks: [{ name: 'crm', failingSince: ANSWER.outageSince }] },
      /^ {2}webhook crm: failing since .* \(30 min ago\): sitecast webhooks attempts crm --local/m,
    ],
    [
      { webhooks: [{ name: 'crm', disabledAt: ANSWER.outageSince, disabledBy: '410' }] },
      /^ {2}webhook crm: disabled by 410 since .*: sitecast webhooks enable crm/m,
    ],
    [{ matchCount: 0, lists: [] }, /\n\nNo list matches\.$/],
  ])('prints %j', (trouble, text) => {
    expect(formatStatus({ ...ANSWER, ...trouble }, LAYOUT)).toMatch(text);
  });
});

it('a duration has its largest unit', () => {
  const durations = [-1, 0.9, 59, 60, 3599, 3600, 172_799, 172_800].map(formatDuration);
  expect(durations).toEqual(['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
});

it('jobs are printed with the lists that were not compared', () => {
  const [jobs] = ANSWER.jobs;
  expect(
    jobs && formatJobs({ ...jobs, waiting: 0, skipped: { 'Its project is deleted.': 126 } }),
  ).toEqual([
    'Done: 41 lists, 37 compared, 1 stopped, 7 events, 20417 entities read, 1 that their list did not show.',
    '  projects/1/floorplans stopped: 12 of 14 missing.',
    '  126 lists skipped: Its project is deleted.',
  ]);
});
