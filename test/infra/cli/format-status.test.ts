import { describe, expect, it } from 'vitest';
import type { ListStatus, StatusAnswer } from '../../../functions/control/protocol.ts';
import { formatJobs } from '../../../infra/cli/commands/format-jobs.ts';
import { filterPolicyOf, formatEvent } from '../../../infra/cli/commands/listen/listen.ts';
import { formatStatus } from '../../../infra/cli/commands/status/format-status.ts';
import { formatAge } from '../../../infra/cli/terminal.ts';

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
    byState: { live: 1, baseline: 1, waiting: 1, paused: 1, parked: 0, 'not polled': 0 },
  },
  outageSince: '2026-11-22T09:30:00.000Z',
  outageCause: 'GET /projects was answered with 500',
  runs: [
    { shard: 0, isRunning: false },
    { shard: 1, isRunning: true },
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
};

describe('the status for people', () => {
  it('names entries of projects that select none', () => {
    const answer = { ...ANSWER, unmatchedProjects: ['17', '4711'] };
    expect(formatStatus(answer, LAYOUT)).toMatch(/^ {2}config: .*: "17", "4711"$/m);
    expect(formatStatus(ANSWER, LAYOUT)).not.toContain('config');
  });

  it('shows totals, then aligned lists, and why one fails', () => {
    expect(formatStatus(ANSWER, LAYOUT)).toBe(
      `Sitecast-prod
  4 lists: 1 live, 1 baseline, 1 waiting, 1 paused
  2 shards: a run of shard 1 is under way, its polls are told at its end
  outage: no list could be read, since 2026-11-22T09:30:00.000Z (30 min ago): GET /projects was answered with 500
  reconcile: 2026-11-22T09:58:00.000Z (2 min ago): 3 of 41 lists left, 37 compared, 1 stopped, 7 events, 20417 entities read, 1 that their list did not show

LIST                   STATE     LAG  LAST CHANGE  FAILURES  NEXT POLL  CURSOR
projects               live     12 s      2 h ago         0        due  2026-11-22T09:59:00.000Z
projects/1/floorplans  waiting   1 h            -         7   in 4 min  2026-11-22T09:00:00.000Z
  The service answered 500
projects/2/floorplans  paused      -            -         0          -  -
… and 1 more (--limit 0 shows all)`,
    );
  });

  it.each([
    ['missing', 'missing at the last run, which polled no list for want of it'],
    [
      'refused',
      'refused by the service at the last run, which polled no list for want of another one',
    ],
  ] as const)('says first that nothing is polled, since the token is %s', (token, told) => {
    const { outageSince: _, ...healthy } = ANSWER;
    const text = formatStatus({ ...healthy, token }, LAYOUT);
    expect(text).toContain(`\n  token: ${told}\n`);
  });

  it('fits a narrow terminal: ids are cut, and columns left out', () => {
    const project = '876c7fcc-4f08-4090-945e-d20f16c243ec';
    const lists: ListStatus[] = [
      { ...PROJECTS, list: `projects/${project}/template_checklists` },
      { ...PAUSED, state: 'parked' },
    ];
    const linesAt = (width: number) =>
      formatStatus({ ...ANSWER, matchCount: 2, lists, jobs: [] }, { ...LAYOUT, width })
        .split('\n\n')
        .slice(-1)
        .join()
        .split('\n');
    expect(linesAt(200)[1]).toMatch(/876c7fcc-4f08-.* 2026-11-22T09:59:00\.000Z$/);
    expect(linesAt(120)[1]).toMatch(/876c7fcc-4f08-.* due$/);
    expect(linesAt(72)).toEqual([
      'LIST                                    STATE    LAG  NEXT POLL',
      'projects/876c7fcc…/template_checklists  live    12 s        due',
      'projects/2/floorplans                   parked  27 h        due',
      'Cut to the width of the terminal; --json has all.',
    ]);
    expect(linesAt(40).every(({ length }, index) => length <= 40 || index === 3)).toBe(true);
  });

  it('tells until when the service allows fewer requests', () => {
    const limited = { since: '2026-11-22T09:58:00.000Z', until: '2026-11-22T10:03:00.000Z' };
    expect(formatStatus({ ...ANSWER, limited }, LAYOUT)).toContain(
      '\n  limited: the service allows fewer requests, since 2026-11-22T09:58:00.000Z (2 min ago), until 2026-11-22T10:03:00.000Z\n',
    );
  });

  it('tells no lag of a list that is not to be polled, and when it was', () => {
    const lists = [{ ...WAITING, ...PAUSED, lastPollAt: '2026-11-21T06:13:20.000Z' }];
    expect(formatStatus({ ...ANSWER, lists }, LAYOUT)).toMatch(/ paused +- +/);
    const one = formatStatus({ ...ANSWER, lists }, { ...LAYOUT, isOne: true });
    expect(one).toMatch(/ last poll +2026-11-21T06:13:20\.000Z \(27 h ago\)\n +lag +-\n/);
  });

  it('tells since when a list at least lags that only fails', () => {
    const { lagSeconds: _, ...waiting } = WAITING;
    const answer = { ...ANSWER, lists: [waiting] };
    expect(formatStatus(answer, LAYOUT)).toMatch(/ waiting +> 1 h /);
    expect(formatStatus(answer, { ...LAYOUT, isOne: true })).toContain('lag          > 1 h');
  });

  it('tells of the only shard that it runs', () => {
    const answer = { ...ANSWER, shards: 1, runs: [{ shard: 0, isRunning: true }] };
    expect(formatStatus(answer, LAYOUT)).toContain(
      '  1 shard: a run is under way, its polls are told at its end\n',
    );
  });

  it('shows all of one list', () => {
    const one = { ...ANSWER, lists: [WAITING], jobs: [] };
    expect(formatStatus(one, { ...LAYOUT, isOne: true })).toContain(`projects/1/floorplans
  state        waiting
  resource     floorplans
  cursor       2026-11-22T09:00:00.000Z
  last poll    -
  lag          1 h
  last change  -
  next poll    2026-11-22T10:04:00.000Z (in 4 min)
  failures     7 since 2026-11-22T09:00:00.000Z (1 h ago)
  cause        The service answered 500`);
  });

  it('says that no list is selected', () => {
    expect(formatStatus({ ...ANSWER, matchCount: 0, lists: [] }, LAYOUT)).toMatch(
      /\n\nNo list matches\.$/,
    );
  });
});

it('an age is told in its largest unit', () => {
  const ages = [-1, 0.9, 59, 60, 3599, 3600, 172_799, 172_800].map(formatAge);
  expect(ages).toEqual(['0 s', '0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '2 d']);
});

it('an event is told on one line, a large one by its place', () => {
  const event = {
    time: '2026-11-22T09:00:00.000Z',
    type: 'project.updated',
    subject: '/projects/1',
  };
  const { paint } = LAYOUT;
  expect(formatEvent({ ...event, data: { changed: ['name', 'code'] } }, paint)).toBe(
    '2026-11-22T09:00:00.000Z  project.updated               /projects/1  name, code',
  );
  expect(formatEvent({ ...event, dataref: 's3://b/e.json' }, paint)).toMatch(
    / {2}s3:\/\/b\/e\.json$/,
  );
  expect(formatEvent({ ...event, data: { changed: [] } }, paint)).toMatch(/\/projects\/1$/);
});

it('a filter misses no event whose names of fields were cut', () => {
  expect(filterPolicyOf({})).toBeUndefined();
  expect(filterPolicyOf({ type: ['a.b'], project: '1', changed: ['name'] })).toEqual({
    type: ['a.b'],
    project_id: ['1'],
    changed: ['name', '*'],
  });
});

it('What jobs came to is told with the lists that were not compared', () => {
  const [jobs] = ANSWER.jobs;
  expect(jobs && formatJobs(jobs)).toEqual([
    'Lists: 37 compared, 1 stopped. 7 events, 20417 entities read, 1 that their list did not show.',
    '  projects/1/floorplans stopped: 12 of 14 missing.',
  ]);
});
