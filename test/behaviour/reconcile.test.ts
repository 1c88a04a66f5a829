import { describe, expect, it } from 'vitest';
import { validateEntities } from '../../functions/core/model/entity.ts';
import { ProtocolError, ServiceError } from '../../functions/core/model/errors.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { EntityAnswer, Page, PageRequest } from '../../functions/core/ports/service-api.ts';
import { change, jobsOf } from '../support/change.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import { FLOORPLANS, knownSite, reconcile } from '../support/reconciled-site.ts';
import { deletedAt, entityAt, FEED, PROJECTS, serviceFailure, type Site } from '../support/site.ts';

const CHECKLISTS = 'projects/p/template_checklists';
const fail: PageAnswer = () => Promise.reject(serviceFailure);

describe('a reconcile', () => {
  it('heals states that were lost, behind any cursor, those of nested items too', async () => {
    const site = await knownSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    await site.catchUp();
    site.store.lose(FEED, 'floorplan#f3');
    site.store.lose(CHECKLISTS, 'template_check_item#c#i');
    const { published, job, jobs } = await reconcile(site);
    expect(published).toEqual(['floorplan.created f3', 'template_check_item.created i']);
    expect(job.counts).toStrictEqual({ entities: 4, events: 1 });
    expect(jobs[CHECKLISTS]?.counts).toStrictEqual({ entities: 1, events: 1 });
    expect(site.telemetry.counted('ReconcileHealed')).toBe(2);
    expect((await reconcile(site)).published).toEqual([]);
  });

  it('publishes the delete of an entity that the service does not know any more, once, with its last object', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const { events, job } = await reconcile(site);
    const object = entityAt('f3', 3);
    expect(events).toMatchObject([{ type: 'floorplan.deleted', data: { object } }]);
    expect(job).toMatchObject({ outcome: 'compared', counts: { events: 1 } });
    expect(site.telemetry.lags).toEqual([]);
    expect((await reconcile(site)).published).toEqual([]);
  });

  it('leaves to the next time what changed within the lookback: a copy may lag', async () => {
    const site = await knownSite(4, { lookbackMs: 60_000 });
    site.floorplan('p', 'fresh', 950);
    await site.catchUp();
    site.api.destroy(FLOORPLANS, 'fresh');
    expect((await reconcile(site)).published).toEqual([]);
  });

  it('commits what its list hides as if a page had shown it, and counts what it may not ask for', async () => {
    const site = await knownSite();
    for (const id of ['f3', 'f4', 'f5']) site.api.hidden.add(id);
    site.api.put(FLOORPLANS, entityAt('f4', 900, deletedAt(900)));
    site.api.entityAnswers.set(`${FLOORPLANS}/f3`, { verdict: 'forbidden' });
    const query = { with: 'all' };
    const catalog = makeCatalog({ query: { floorplans: query } });
    const { published, job } = await reconcile(site, { force: true }, { catalog });
    expect(published).toEqual(['floorplan.deleted f4']);
    expect(job.counts).toStrictEqual({ entities: 1, hidden: 2, forbidden: 1, events: 1 });
    expect(site.quarantine.items).toEqual([]);
    const asked = site.api.requests.filter(({ path }) => path.startsWith(`${FLOORPLANS}/`));
    expect(asked).toMatchObject([{ query }, { query }, { query }]);
  });

  it('does not ask for an entity that its list shows with a fault', async () => {
    const site = await knownSite();
    site.floorplan('p', 'f3', 3, { updated_at: 'today' });
    await reconcile(site);
    expect(site.api.takePaths()).not.toContain(`${FLOORPLANS}/f3`);
  });

  const another: EntityAnswer = { verdict: 'found', entity: { id: 'f', updated_at: timeAt(2) } };
  it.each([[another], [new ProtocolError('no entity', { hint: 'None.' })]])(
    'judges the others where the answer for one is odd',
    async (answer) => {
      const site = await knownSite(6);
      site.api.destroy(FLOORPLANS, 'f2');
      site.api.hidden.add('f3');
      site.api.entityAnswers.set(`${FLOORPLANS}/f3`, answer);
      const { published, job } = await reconcile(site);
      expect(published).toEqual(['floorplan.deleted f2']);
      expect(job).toMatchObject({ outcome: 'compared', counts: { forbidden: 1 } });
    },
  );

  it('is incomplete if the service fails for an entity', async () => {
    const site = await knownSite();
    site.api.hidden.add('f2');
    site.api.entityAnswers.set(`${FLOORPLANS}/f2`, serviceFailure);
    const { published, job } = await reconcile(site);
    expect(published).toEqual([]);
    expect(job).toMatchObject({ outcome: 'incomplete', cause: 'ServiceError: GET: 500' });
    const fields = { feed: FEED, outcome: 'incomplete', cause: job.cause, ...job.counts };
    const entry = { level: 'warn', message: 'A list was not reconciled', fields };
    expect(site.telemetry.logs).toContainEqual(entry);
    expect(site.telemetry.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('drops no new item that a lagging copy does not know, but the next one does', async () => {
    let seconds = 1000;
    const clock = () => Date.parse(timeAt(seconds));
    const site = await knownSite(4, { lookbackMs: 60_000, clock });
    const items = [entityAt('i', 10), entityAt('new', 990)];
    site.checklist('p', 'c', 10, items);
    await site.catchUp();
    const { entities } = validateEntities([
      entityAt('c', 10, { template_check_items: [items[0]] }),
    ]);
    const api = replaceCall(site.api, 'fetchPage', async ({ parameters, proceed }) => {
      const [{ path, lastSyncedAt }] = parameters as [PageRequest];
      const page = (await proceed()) as Page;
      const isWhole = path === `/${CHECKLISTS}` && lastSyncedAt === undefined;
      return isWhole ? { ...page, entities } : page;
    });
    expect((await reconcile(site, {}, {}, { api })).published).toEqual([]);
    seconds = 2000;
    const { published } = await reconcile(site, {}, {}, { api });
    expect(published).toEqual(['template_check_item.deleted new']);
  });

  it('comes after replays', async () => {
    const site = await knownSite();
    const replay = { command: 'replay', scope: { list: CHECKLISTS }, since: timeAt(0) } as const;
    await change(site, replay, { command: 'reconcile', scope: {} });
    const worked: string[] = [];
    const store = replaceCall(site.store, 'commitFeed', ({ parameters, proceed }) => {
      const [{ id, job }] = parameters as [Feed];
      if (job?.outcome !== undefined) worked.push(id);
      return proceed();
    });
    await site.poll({}, { store });
    expect(worked).toEqual([CHECKLISTS, 'projects', FEED]);
    const message = 'A list was reconciled';
    const fields = expect.objectContaining({ feed: FEED, outcome: 'compared' }) as unknown;
    expect(site.telemetry.logs).toContainEqual({ level: 'info', message, fields });
  });

  it('restores what is back as it was, with the same content after a crash', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    expect((await reconcile(site)).published).toEqual(['floorplan.deleted f3']);
    site.floorplan('p', 'f3', 3);
    await change(site, { command: 'reconcile', scope: { list: FEED } });
    const topic = replaceCall(site.topic, 'publish', async ({ proceed }) => {
      await proceed();
      throw new Error('died');
    });
    await expect(site.poll({}, { topic })).rejects.toThrow('died');
    const [first] = site.takeEvents();
    site.clock.advance(60_000);
    await site.poll();
    const [again] = site.takeEvents();
    expect(first).toMatchObject({ type: 'floorplan.restored', partitionkey: 'f3' });
    expect(again).toEqual({ ...first, recordedtime: again?.recordedtime });
  });

  it('is incomplete at a saturated timestamp, and ends the mark of one that is none any more', async () => {
    const site = await knownSite(0, { largestPage: 4 });
    for (let n = 0; n < 12; n += 1) site.floorplan('p', `t${n}`, 10);
    site.floorplan('p', 'later', 20);
    await site.catchUp();
    await site.poll();
    expect(await site.feed(FEED)).toHaveProperty('saturatedAt');
    const reported = site.telemetry.counted('SaturatedTimestamp');
    const { job } = await reconcile(site);
    const cause = 'More entities share a timestamp than the largest page holds.';
    expect(job).toMatchObject({ outcome: 'incomplete', cause });
    expect(site.telemetry.counted('SaturatedTimestamp')).toBeGreaterThan(reported);
    for (let n = 0; n < 12; n += 1) site.floorplan('p', `t${n}`, 30 + n);
    await site.poll();
    await change(site, { command: 'reconcile', scope: { list: FEED } });
    await site.poll();
    const feed = await site.feed(FEED);
    expect(feed).toMatchObject({ job: { outcome: 'compared' } });
    expect(feed).not.toHaveProperty('saturatedAt');
  });

  it.each([410, 500])('heals a cursor that is answered with %d, in one run', async (status) => {
    const site = await knownSite();
    site.checklist('p', 'c', 10, []);
    await site.catchUp();
    const error = new ServiceError('Gone', { status, hint: 'Reconcile.' });
    const api = replaceCall(site.api, 'fetchPage', ({ parameters, proceed }) => {
      const [{ lastSyncedAt }] = parameters as [PageRequest];
      return lastSyncedAt === undefined ? proceed() : Promise.reject(error);
    });
    await site.poll({}, { api });
    await change(site, { command: 'reconcile', scope: {} });
    expect(await site.poll({}, { api })).not.toHaveProperty('outageSince');
    const outcomes = Object.values(await jobsOf(site)).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['compared', 'compared', 'compared']);
  });

  it('heals a cursor that has run ahead of its list', async () => {
    const site = await knownSite();
    const feed = await site.feed(FEED);
    await site.store.commitFeed({ ...feed, cursor: timeAt(500) } as Feed);
    site.floorplan('p', 'missed', 400);
    expect(await site.events()).toEqual([]);
    expect((await reconcile(site)).published).toEqual(['floorplan.created missed']);
    expect((await site.feed(FEED))?.cursor).toBe(timeAt(400));
  });

  it('parks the lists of a project that is gone, and wakes them when it is back', async () => {
    let second = 1000;
    const site = await knownSite(4, { clock: () => Date.parse(timeAt(second)) });
    site.project('q', 2);
    await site.catchUp();
    site.api.destroy(PROJECTS, 'p');
    expect((await reconcile(site)).published).toEqual(['project.deleted p']);
    expect((await site.feed(FEED))?.parked).toBeDefined();
    site.project('p', 1001);
    second = 1020;
    expect(await site.events()).toEqual(['project.restored p']);
    expect((await site.feed(FEED))?.parked).toBeUndefined();
  });
});

describe('a list that is wrong', () => {
  it('loses nothing when more is missing than may be, unless that is forced', async () => {
    const site = await knownSite();
    for (const id of ['f2', 'f3', 'f4']) site.api.destroy(FLOORPLANS, id);
    const { published, job } = await reconcile(site);
    expect(published).toEqual([]);
    const cause = '3 of 4 known entities are missing from it at once.';
    expect(job).toMatchObject({ outcome: 'stopped', cause });
    const asked = site.api.takePaths().filter((path) => path.startsWith(`${FLOORPLANS}/`));
    expect(asked).toEqual([]);
    expect(site.telemetry.counted('ReconcileListsFailed')).toBe(1);
    const forced = await reconcile(site, { force: true });
    expect(forced.published).toEqual(['f2', 'f3', 'f4'].map((id) => `floorplan.deleted ${id}`));
  });

  it('loses nothing of a list of config that shows nothing: its entities may not be asked for', async () => {
    const site = await knownSite();
    const path = '/projects/{project_id}/tasks';
    const tasks = { name: 'tasks', entity: 'task', path };
    const catalog = makeCatalog({ additionalResources: [tasks] });
    site.api.put('/projects/p/tasks', entityAt('t', 5));
    await site.poll({ catalog });
    site.api.destroy('/projects/p/tasks', 't');
    const { published, jobs } = await reconcile(site, { force: true }, { catalog });
    expect([published, jobs['projects/p/tasks']?.outcome]).toEqual([[], 'incomplete']);
  });

  it('loses no project if none is shown, with force neither: the permission may be gone', async () => {
    const site = await knownSite();
    site.api.destroy(PROJECTS, 'p');
    const { published, jobs } = await reconcile(site, { force: true });
    expect(published).toEqual([]);
    const cause = expect.stringContaining('it shows no entity that would prove') as string;
    expect(jobs['projects']).toMatchObject({ outcome: 'incomplete', cause });
  });

  it.each<[string, PageAnswer, object]>([
    [
      'is refused',
      () => Promise.reject(new ServiceError('403', { status: 403, hint: 'Wait.' })),
      { outcome: 'incomplete' },
    ],
    ['fails in every run', fail, { outcome: 'incomplete', cause: 'ServiceError: GET: 500' }],
  ])('is never compared if it %s', async (_, answer, job) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    site.api.answerNext(FLOORPLANS, ...Array.from({ length: 20 }, () => answer));
    const found = await reconcile(site);
    expect([found.published, found.job]).toMatchObject([[], job]);
  });

  it.each<[string, (site: Site) => unknown]>([
    [
      'if the project may not be seen',
      ({ api }) => {
        for (const id of ['f2', 'f4', 'f5']) api.hidden.add(id);
        api.entityAnswers.set('/projects/p', { verdict: 'forbidden' });
      },
    ],
    [
      'if it comes for an entity that the list shows, too',
      ({ api }) => api.entityAnswers.set(`${FLOORPLANS}/f2`, { verdict: 'missing' }),
    ],
  ])('has 404s that prove nothing %s', async (_, arrange) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    arrange(site);
    const { published, job } = await reconcile(site, { force: true });
    expect([published, job.outcome]).toEqual([[], 'incomplete']);
    expect(job.cause).toContain('which should be there');
  });
});

describe('a reconcile that a run cuts off', () => {
  const slowly = (site: Site, ms: number) =>
    replaceCall(site.api, 'fetchPage', async ({ proceed }) => {
      const page = (await proceed()) as Page;
      site.clock.advance(ms);
      await new Promise(setImmediate);
      return page;
    });
  const run = { remainingMs: () => 70_000 };

  it('opens the next run, and may take two thirds of it', async () => {
    const site = await knownSite(16);
    await change(site, { command: 'reconcile', scope: { list: FEED } });
    await site.poll(run, { api: slowly(site, 9_500) });
    expect((await jobsOf(site))[FEED]).toMatchObject({ isCutOff: true, tries: 1 });
    expect(site.telemetry.logs).toEqual([]);
    site.clock.advance(60_000);
    site.api.takePaths();
    await site.poll(run, { api: slowly(site, 7_900) });

    expect(site.api.takePaths()[0]).toBe(FLOORPLANS);
    expect((await jobsOf(site))[FEED]).toMatchObject({ outcome: 'compared' });
  });

  it('ends after three tries, as too large for a run', async () => {
    const site = await knownSite(30);
    await change(site, { command: 'reconcile', scope: { list: FEED } });
    for (let n = 0; n < 3; n += 1) {
      expect((await jobsOf(site))[FEED]).not.toHaveProperty('outcome');
      await site.poll(run, { api: slowly(site, 7_000) });
      site.clock.advance(60_000);
    }
    const cause = 'The list is too large to be read in one run.';
    expect((await jobsOf(site))[FEED]).toMatchObject({ outcome: 'incomplete', cause });
  });
});
