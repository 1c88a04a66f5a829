import { describe, expect, it } from 'vitest';
import { control } from '../../../functions/control/control.ts';
import type { ControlAnswer, StatusAnswer } from '../../../functions/control/protocol.ts';
import {
  RefreshTokenRejectedError,
  SitecastError,
  TableFormatError,
} from '../../../functions/core/model/errors.ts';
import { isoTime } from '../../../functions/core/model/timestamp.ts';
import { jobsOf } from '../../support/change.ts';
import { timeAt } from '../../support/list-service.ts';
import type { Site } from '../../support/site.ts';
import {
  checklistsOf,
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
} from '../../support/site.ts';
import { NO_WEBHOOKS } from './no-webhooks.ts';

async function ask(
  site: Site,
  request: unknown,
  catalog = site.options.catalog,
): Promise<ControlAnswer> {
  const answer = await control(request, {
    ...{ store: site.store, quarantine: site.quarantine, catalog },
    ...{ shardCount: 1, webhooks: NO_WEBHOOKS, now: () => site.clock.now() },
  });
  // As Lambda passes it on.
  return JSON.parse(JSON.stringify(answer)) as ControlAnswer;
}

async function statusOf(site: Site, scope = {}): Promise<StatusAnswer> {
  const answer = await ask(site, { command: 'status', scope });
  if (!('lists' in answer)) throw new Error(JSON.stringify(answer));
  return answer;
}

const failure = () => Promise.reject(serviceFailure);

describe('the status', () => {
  it('shows why a list fails, since when, and when it is tried again, until it succeeds', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), failure);
    await site.poll();
    const failingSince = new Date(site.clock.now()).toISOString();
    const nextPollAt = new Date(site.clock.now() + 60_000).toISOString();
    const { lists, totals } = await statusOf(site, { list: FEED });
    const failing = { failures: 1, failingSince, nextPollAt, cause: 'ServiceError: GET: 500' };
    expect(lists).toMatchObject([failing]);
    expect(totals.byState.waiting).toBe(1);
    site.clock.advance(60_000);
    await site.poll();
    const [list] = (await statusOf(site, { list: FEED })).lists;
    for (const field of Object.keys(failing)) expect(list).not.toHaveProperty(field);
  });

  it('shows an outage of the whole service, and why it fails', async () => {
    const site = await liveSite();
    for (const path of [PROJECTS, floorplansOf('p'), checklistsOf('p')]) {
      site.api.answerNext(path, failure);
    }
    const since = new Date(site.clock.now()).toISOString();
    await site.poll();
    const outageCause = 'ServiceError: GET: 500';
    expect(await statusOf(site)).toMatchObject({ outageSince: since, outageCause });
  });

  it('shows that the token is refused, until it is accepted', async () => {
    const site = await liveSite();
    const error = new RefreshTokenRejectedError('No', { hint: 'Put another.' });
    site.api.answerNext(PROJECTS, () => Promise.reject(error));
    await site.poll();
    expect(await statusOf(site)).toMatchObject({ token: 'refused' });
    await site.poll();
    expect(await statusOf(site)).not.toHaveProperty('token');
  });

  it('shows when a run last completed, and that another has died', async () => {
    const site = await liveSite();
    const completedAt = new Date(site.clock.now()).toISOString();
    expect((await statusOf(site)).runs).toEqual([{ shard: 0, completedAt }]);
    const until = site.clock.now() + 60_000;
    await site.store.takeLease({ partitions: [0], owner: 'dead', until }, site.clock.now());
    site.clock.advance(90_000);
    const takenUntil = new Date(until).toISOString();
    expect((await statusOf(site)).runs).toEqual([{ shard: 0, completedAt, takenUntil }]);
  });
});

describe('a command', () => {
  it('of many lists is applied in parts, each behind the last', async () => {
    const site = await liveSite();
    for (let n = 0; n < 120; n += 1) site.project(`q${n}`, 5);
    await site.poll();
    const commitFeed = site.store.commitFeed.bind(site.store);
    site.store.commitFeed = (feed) => {
      site.clock.advance(1_000);
      return commitFeed(feed);
    };
    const request = { command: 'pause', scope: { resource: 'floorplans' } };
    const first = await ask(site, request);
    const after = 'next' in first ? first.next : undefined;
    expect(first).toMatchObject({ listCount: 121, changedCount: 100, leftCount: 21 });
    expect(await ask(site, { ...request, after })).toMatchObject({ changedCount: 21 });
    expect(await site.poll()).toMatchObject({ paused: 121 });
  });

  it('leaves lists paused by themselves when all are resumed, and shows while all are paused', async () => {
    const site = await liveSite();
    await ask(site, { command: 'pause', scope: { list: FEED } });
    await ask(site, { command: 'pause', scope: {} });
    const resumed = await ask(site, { command: 'resume', scope: { list: 'projects' } });
    expect(resumed).toMatchObject({ isAllPaused: true });
    const all = await ask(site, { command: 'resume', scope: {} });
    expect(all).toMatchObject({ pausedCount: 1, changedCount: 3 });
    expect(all).not.toHaveProperty('isAllPaused');
    expect(await site.poll()).toMatchObject({ paused: 1, feeds: 2 });
  });
});

describe('a reconciliation', () => {
  const request = { command: 'reconcile', scope: {} };
  const idOf = (answer: ControlAnswer) => ('id' in answer ? answer.id : undefined);

  it('is a job of each list, and stands in the status with what came of it', async () => {
    const site = await liveSite();
    expect((await statusOf(site)).jobs).toEqual([]);
    const id = idOf(await ask(site, { ...request, force: true }));
    const job = { name: 'reconcile', id, force: true };
    expect((await site.feed(FEED))?.job).toEqual(job);
    const startedAt = isoTime(site.clock.now());
    expect((await statusOf(site)).jobs).toEqual([
      {
        ...{ id, command: 'reconcile', startedAt, lists: 3, waiting: 3 },
        ...{ outcomes: {}, counts: {}, skipped: {}, problems: [] },
      },
    ]);
    site.store.lose(FEED, 'floorplan#f');
    await site.poll();
    const { jobs, lists } = await statusOf(site, { list: FEED });
    expect(jobs).toMatchObject([{ waiting: 0, outcomes: { compared: 3 }, counts: { events: 1 } }]);
    expect(lists[0]?.job).toMatchObject({ ...job, outcome: 'compared' });
  });

  it('is not given to a list that has a job, until that is cancelled', async () => {
    const site = await liveSite();
    const id = idOf(await ask(site, { ...request, scope: { list: FEED } }));
    const replay = { command: 'replay', scope: { list: FEED }, since: timeAt(1) };
    expect(await ask(site, replay)).toMatchObject({ jobCount: 1, changedCount: 0, examples: [] });
    expect((await site.feed(FEED))?.job).toMatchObject({ id, name: 'reconcile' });
    const cancelled = { jobCount: 1, listCount: 3, changedCount: 1, examples: [FEED] };
    expect(await ask(site, { command: 'cancel', scope: {} })).toMatchObject(cancelled);
    expect(await site.feed(FEED)).not.toHaveProperty('job');
    await ask(site, replay);
    expect((await site.feed(FEED))?.job).toMatchObject({ name: 'replay', since: timeAt(1) });
  });
});

describe('a request that is refused', () => {
  it.each<[unknown, string, string]>([
    [null, 'The command undefined is unknown.', 'Ask for one of status, pause, resume'],
    [{ command: 'stop' }, 'The command "stop" is unknown.', 'Ask for one of'],
    [{ command: 'pause' }, 'scope', 'Correct the request.'],
    [{ command: 'status', limit: -1 }, 'limit is -1; allowed: a whole number', 'Correct'],
    [
      { command: 'pause', scope: {}, dryrun: true },
      'dryrun is not known; allowed: the fields',
      'Correct',
    ],
    [
      { command: 'reconcile', scope: { projectId: 'q' } },
      'There is no project "q".',
      'There are 1, for example "p".',
    ],
    [
      { command: 'pause', scope: { list: 'projects/p/floorplan' } },
      'There is no list "projects/p/floorplan".',
      'Did you mean "projects/p/floorplans"?',
    ],
  ])('says what is wrong, and changes nothing: %j', async (request, message, hint) => {
    const site = await liveSite();
    const answer = await ask(site, request);
    if (!('error' in answer)) throw new Error('it was not refused');
    expect(answer.error.message).toContain(message);
    expect(answer.error.hint).toContain(hint);
    expect(await jobsOf(site)).toEqual({});
  });

  it('is one to a table of a newer format', async () => {
    const site = await liveSite();
    const error = new TableFormatError('The table is newer.', { hint: 'Deploy again.' });
    site.store.checkFormat = () => Promise.reject(error);
    expect(await ask(site, { command: 'status' })).toEqual({
      error: { name: 'TableFormatError', message: 'The table is newer.', hint: 'Deploy again.' },
    });
  });

  it.each(['loadFeeds', 'commitFeed'] as const)(
    'is not one that the table fails in %s: nobody knows what was changed',
    async (call) => {
      const site = await liveSite();
      const failure = new SitecastError('left 3 of 16 items', { hint: 'Wait.' });
      Object.assign(site.store, { [call]: () => Promise.reject(failure) });
      const scope = { resource: 'floorplans' };
      await expect(ask(site, { command: 'pause', scope })).rejects.toBe(failure);
    },
  );
});
