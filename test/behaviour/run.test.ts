import { describe, expect, it } from 'vitest';
import type { Feed } from '../../functions/core/model/feed.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import { emptySummary } from '../../functions/core/run/run-summary.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  Site,
  stopAfter,
} from '../support/site.ts';

describe('the first run', () => {
  it('records a baseline without raising events', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplan('p', 'f', 2);
    site.checklist('p', 'c', 3, [entityAt('i', 3)]);
    const summary = await site.poll();
    expect(site.takeEvents()).toEqual([]);
    expect(summary).toEqual({ ...emptySummary(), feeds: 3, polled: 3, pages: 3, entities: 3 });
    expect(site.clock.sleeping).toBe(0);
    expect(await site.feed(FEED)).toMatchObject({ phase: 'live', cursor: timeAt(2) });
    expect(await site.events()).toEqual([]);
  });
  it('raises created for everything if config emits the baseline', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplan('p', 'f', 2);
    expect(await site.events({ baseline: 'emit' })).toEqual([
      'project.created p',
      'floorplan.created f',
    ]);
  });

  it('reads the projects to their end in one turn: the lists of the last ones are not known', async () => {
    const site = new Site();
    for (let n = 0; n < 12; n += 1) site.project(`p${n}`, 1 + n);
    const paths = await site.paths({ concurrency: 1, pagesPerTurn: 1 });
    expect(paths.slice(0, 4)).toEqual([PROJECTS, PROJECTS, PROJECTS, PROJECTS]);
  });

  it('of a list is over though the loaded copy is older: what changed since is published', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplans('p', 2, 10);
    await stopAfter(site, floorplansOf('p'), 1);
    const old = await site.feed(FEED);
    await site.catchUp();
    site.floorplan('p', 'f', 20);
    const store = replaceCall(site.store, 'loadShard', async ({ proceed }) =>
      ((await proceed()) as Feed[]).map((feed) => (feed.id === FEED ? old : feed)),
    );
    await site.poll({}, { store });
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.created' }]);
  });

  it('continues in the next run when a baseline is longer than a run', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplans('p', 2, 10);
    const summary = await stopAfter(site, floorplansOf('p'), 2);
    expect(summary).toMatchObject({ stoppedEarly: true });
    expect(await site.feed(FEED)).toMatchObject({ phase: 'baseline', cursor: timeAt(8) });
    expect(await site.events()).toEqual([]);
    expect(await site.feed(FEED)).toMatchObject({ phase: 'live', cursor: timeAt(9) });
  });
});

describe('a run', () => {
  it('raises created, updated, deleted and restored, with the changed fields', async () => {
    const site = await liveSite();
    site.project('p', 10, { name: 'Tower' });
    site.floorplan('p', 'new', 11);
    site.floorplan('p', 'gone', 12);
    site.floorplan('p', 'f', 13, deletedAt(13));
    const summary = await site.poll();
    const events = site.takeEvents().sort((a, b) => a.time.localeCompare(b.time));
    expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      'project.updated /projects/p',
      'floorplan.created /projects/p/floorplans/new',
      'floorplan.restored /projects/p/floorplans/gone',
      'floorplan.deleted /projects/p/floorplans/f',
    ]);
    expect(events[0]).toMatchObject({
      accountid: '7',
      projectid: 'p',
      cause: 'poll',
      data: { changed: ['name'], previous: { name: 'p' } },
    });
    expect(events[1]).toMatchObject({ accountid: '7', projectid: 'p', partitionkey: 'new' });
    expect(summary.events).toEqual({ created: 1, updated: 1, deleted: 1, restored: 1 });
  });

  it('finds the lists of a new project at once and emits their content in full', async () => {
    const site = await liveSite();
    site.project('q', 10);
    site.floorplan('q', 'old', -500);
    site.checklist('q', 'c', 11, []);
    for (const { accountid } of site.topic.published) expect(accountid).toBe('7');
    expect(await site.events()).toEqual([
      'project.created q',
      'floorplan.created old',
      'template_checklist.created c',
    ]);
  });

  it('reads the lookback and finds late commits', async () => {
    const site = await liveSite({ lookbackMs: 5000, clock: () => Date.parse(timeAt(2)) });
    site.floorplan('p', 'late', 1);
    expect(await site.events()).toEqual(['floorplan.created late']);
    expect(await site.events()).toEqual([]);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(-3) });
  });

  it('takes the later of two versions of an entity on one page', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), (page) => ({
      ...page,
      entities: [entityAt('f', 30, { name: 'B' }), entityAt('f', 29, { name: 'A' })] as never,
      lastSyncedAt: timeAt(30),
    }));
    await site.poll();
    const data = { object: { name: 'B' } };
    expect(site.takeEvents()).toMatchObject([{ sequence: toFixedWidth(timeAt(30)), data }]);
  });
});

describe('a huge catch-up', () => {
  it('lets other lists have their turn, and continues from its cursor', async () => {
    const site = await liveSite();
    site.floorplans('p', 100, 190);
    site.checklist('p', 'c', 100, []);
    site.api.takePaths();
    const summary = await site.poll({ concurrency: 1 });
    const paths = site.api.takePaths();
    const turn = paths.indexOf(checklistsOf('p'));
    expect(paths[1]).toBe(floorplansOf('p'));
    expect(turn).toBeLessThan(25);
    expect(paths.slice(turn + 1).every((path) => path === floorplansOf('p'))).toBe(true);
    expect(site.takeEvents()).toHaveLength(91);
    expect(summary).toMatchObject({ polled: 3, stoppedEarly: false });
    // No page is read twice.
    expect(new Set(site.api.requests.map((request) => JSON.stringify(request))).size).toBe(
      site.api.requests.length,
    );
  });
});

describe('a timestamp that more entities share than the largest page holds', () => {
  it('is stepped over, counted, and logged with its list', async () => {
    const site = await liveSite({ largestPage: 3 });
    for (let n = 0; n < 4; n += 1) site.floorplan('p', `f${n}`, 50);
    site.floorplan('p', 'later', 51);
    expect(await site.events()).toContain('floorplan.created later');
    expect(site.telemetry.counted('SaturatedTimestamp')).toBeGreaterThan(0);
    const message = expect.stringContaining(
      'More entities changed within two milliseconds',
    ) as string;
    const fields = { feed: FEED, saturatedTimestamp: timeAt(50) };
    expect(site.telemetry.logs).toContainEqual({ level: 'warn', message, fields });
  });
});
