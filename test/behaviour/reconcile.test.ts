import { describe, expect, it } from 'vitest';
import {
  FeedRefusedError,
  PageTooSlowError,
  PublishFailedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, feedPartition, type Feed } from '../../functions/core/model/feed.ts';
import {
  noCounts,
  sumCounts,
  type ReconcileReport,
} from '../../functions/core/model/reconcile-report.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { EntityRequest, Page, PageRequest } from '../../functions/core/ports/service-api.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { FIRST, idIn, SECOND, shardedSite } from '../support/sharded-site.ts';
import {
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  PROJECTS,
  serviceFailure,
  Site,
  type SiteOptions,
} from '../support/site.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
const FLOORPLANS = floorplansOf('p');
const whole: PageAnswer = (page) => page;
const fail: PageAnswer = () => Promise.reject(serviceFailure);

/** A site whose project has `count` floorplans, all long known, and a caught-up notifier. */
async function knownSite(count = 4, options: SiteOptions = {}): Promise<Site> {
  const site = new Site({ clock: () => Date.parse(timeAt(1000)), ...options });
  site.project('p', 1);
  site.floorplans('p', 2, 2 + count);
  await site.poll();
  await site.catchUp();
  return site;
}

/** Orders a reconciliation of all lists. */
async function order(site: Site, fields: object = {}): Promise<void> {
  const command = { id: '1', name: 'reconcile', scope: {}, ...fields } as const;
  await site.store.saveCommands(PARTITIONS.map((partition) => ({ partition, command })));
}

/** Runs until the reconciliation is done. @returns its events, and what it reports. */
async function reconcile(
  site: Site,
  fields: object = {},
  options: Partial<RunOptions> = {},
  ports: Partial<Ports> = {},
) {
  await order(site, fields);
  site.api.takePaths();
  for (let n = 0; n < 20 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
    await site.poll(options, ports);
    site.clock.advance(60_000);
  }
  const events = site.takeEvents();
  expect(events.every(({ cause }) => cause === 'reconcile')).toBe(true);
  const told = events.map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  return { events, told, ...(await reportOf(site)) };
}

/** The sum of all partitions' reports. */
async function reportOf(site: Site): Promise<Pick<ReconcileReport, 'counts' | 'problems'>> {
  const { reports } = await site.store.loadShard(PARTITIONS);
  return {
    counts: reports.reduce((sum, { counts }) => sumCounts(sum, counts), noCounts()),
    problems: reports.flatMap(({ problems }) => problems),
  };
}

describe('a reconciliation', () => {
  it('of what is known as it is tells nothing, and leaves the feeds as they are', async () => {
    const site = await knownSite();
    const before = await site.feed(FEED);
    const { told, counts, problems } = await reconcile(site);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ read: 3, entities: 5, failed: 0, stopped: 0, skipped: 0 });
    expect(problems).toEqual([]);
    expect(await site.feed(FEED)).toEqual(before);
  });

  it('heals states that were lost, behind any cursor', async () => {
    const site = await knownSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    await site.catchUp();
    site.store.lose(FEED, 'floorplan#f3');
    site.store.lose('projects/p/template_checklists', 'template_check_item#c#i');
    const { told, counts } = await reconcile(site);
    expect(told).toEqual(['floorplan.created f3', 'template_check_item.created i']);
    expect(counts).toMatchObject({ created: 2, deleted: 0 });
    expect(site.telemetry.counted('ReconcileHealed')).toBe(2);
    expect((await reconcile(site, { id: '2' })).told).toEqual([]);
  });

  it('asks for a valid entity first, where the list shows invalid ones before it', async () => {
    const site = await knownSite();
    const invalid = entityAt('invalid', 1, { deleted_at: 'never' });
    site.api.put(FLOORPLANS, invalid, entityAt('invalid-too', 1, { deleted_at: 'never' }));
    await site.poll();
    site.api.destroy(FLOORPLANS, 'f3');
    const { told, problems } = await reconcile(site);
    expect({ told, problems }).toEqual({ told: ['floorplan.deleted f3'], problems: [] });
  });

  it('asks for one that is not deleted first, where the service shows deleted ones in lists only', async () => {
    const site = await knownSite();
    site.floorplan('p', 'f1', 1, deletedAt(1));
    site.api.destroy(FLOORPLANS, 'f4');
    const api = replaceCall(site.api, 'fetchEntity', ({ parameters, proceed }) => {
      const [{ path }] = parameters as [EntityRequest];
      return path.endsWith('/f1') ? Promise.resolve({ verdict: 'missing' }) : proceed();
    });
    const { told, problems } = await reconcile(site, {}, {}, { api });
    expect(told).toContain('floorplan.deleted f4');
    expect(problems).toEqual([]);
  });

  it('lowers the rate for no entity that the service limits: it has no poll that could have shown it before', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f4');
    const wasLimited = new Set<unknown>();
    const api = replaceCall(site.api, 'fetchEntity', ({ parameters, proceed }) => {
      const [request] = parameters as [EntityRequest];
      wasLimited.add(request.wasLimited);
      return proceed();
    });
    await reconcile(site, {}, {}, { api });
    expect(wasLimited).toEqual(new Set([true]));
  });

  it('tells a version that polling has missed', async () => {
    const site = await knownSite();
    site.floorplan('p', 'f3', 3.5, { name: 'Ground floor' });
    expect(await site.events()).toEqual([]);
    const { events, counts } = await reconcile(site);
    expect(events).toMatchObject([{ type: 'floorplan.updated', data: { changed: ['name'] } }]);
    expect(counts.updated).toBe(1);
    expect(site.telemetry.lags).toEqual([]);
  });

  it('heals a state that was lost, though a service that rounds its times shows it just behind the cursor', async () => {
    const site = await knownSite();
    site.floorplan('p', 'f9', 10);
    await site.catchUp();
    const feed = await site.feed(FEED);
    await site.store.commitFeed({ ...feed, cursor: timeAt(9.2) } as Feed);
    site.store.lose(FEED, 'floorplan#f9');
    const api = replaceCall(site.api, 'fetchPage', async ({ parameters, proceed }) => {
      const page = (await proceed()) as Page;
      const [{ lastSyncedAt }] = parameters as [PageRequest];
      return lastSyncedAt === timeAt(9.2) ? { ...page, entities: [] } : page;
    });
    expect((await reconcile(site, {}, {}, { api })).told).toEqual(['floorplan.created f9']);
  });

  it('leaves to polling what polling has not come to: it is no loss', async () => {
    const site = await knownSite();
    // It is created between the poll and the reconciliation.
    site.api.answerNext(FLOORPLANS, (page) => {
      site.floorplan('p', 'f9', 900);
      return page;
    });
    await order(site);
    expect(await site.events()).toEqual([]);
    expect((await reportOf(site)).counts).toMatchObject({ read: 3, created: 0 });
    await site.poll();
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.created', cause: 'poll' }]);
  });

  it('tells an entity that the service does not know any more as deleted, once, with its last object', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const { events, counts } = await reconcile(site);
    const object = entityAt('f3', 3);
    expect(events).toMatchObject([
      { type: 'floorplan.deleted', time: timeAt(1000), data: { object } },
    ]);
    expect(counts).toMatchObject({ deleted: 1, listWrong: 0 });
    expect((await reconcile(site, { id: '2' })).told).toEqual([]);
  });

  it('leaves to the next time what changed within the lookback, and counts it once', async () => {
    let second = 1000;
    const options = { lookbackMs: 10_000, clock: () => Date.parse(timeAt(second)) };
    const site = await knownSite(4, options);
    site.floorplan('p', 'f3', 995);
    site.floorplan('p', 'f4', 995);
    await site.poll();
    site.takeEvents();
    // One that is missing and may be judged does not make the others count again.
    for (const id of ['f2', 'f3', 'f4']) site.api.destroy(FLOORPLANS, id);
    const forced = await reconcile(site, { force: true });
    expect(forced.told).toEqual(['floorplan.deleted f2']);
    expect(forced.counts).toMatchObject({ deleted: 1, tooRecent: 2 });
    second = 1010;
    const next = await reconcile(site, { id: '2', force: true });
    expect(next.told).toEqual(['floorplan.deleted f3', 'floorplan.deleted f4']);
    expect(next.counts.tooRecent).toBe(0);
  });

  it('tells one that is back later as restored, also if it did not change', async () => {
    let second = 1000;
    const site = await knownSite(4, {
      lookbackMs: 10_000,
      clock: () => Date.parse(timeAt(second)),
    });
    site.api.destroy(FLOORPLANS, 'f3');
    await reconcile(site);
    site.floorplan('p', 'f3', 3);
    second = 1009;
    expect((await reconcile(site, { id: '2' })).told).toEqual([]);
    second = 1011;
    expect((await reconcile(site, { id: '3' })).told).toEqual(['floorplan.restored f3']);
  });

  it('tells what changed below one that is back, although it is older than its absence', async () => {
    const site = await knownSite(0);
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    site.checklist('p', 'd', 10, []);
    await site.catchUp();
    site.takeEvents();
    site.api.destroy('/projects/p/template_checklists', 'c');
    expect((await reconcile(site)).told).toEqual(['template_checklist.deleted c']);
    site.checklist('p', 'c', 20, [entityAt('i', 20), entityAt('k', 20)]);
    expect((await site.events()).toSorted()).toEqual([
      'template_check_item.created k',
      'template_check_item.deleted j',
      'template_check_item.updated i',
      'template_checklist.restored c',
    ]);
    expect((await reconcile(site, { id: '2' })).told).toEqual([]);
  });

  it('takes our own clock where the service sends no Date, for when it was gone and is back', async () => {
    const site = await knownSite(4, { lookbackMs: 10_000, clock: undefined });
    site.floorplan('p', 'f100', 100);
    await site.catchUp();
    const goneAt = site.clock.now();
    const at = (ms: number): void => {
      site.clock.advance(goneAt + ms - site.clock.now());
    };
    site.api.destroy(FLOORPLANS, 'f2');
    const { events } = await reconcile(site);
    expect(events).toMatchObject([{ partitionkey: 'f2', time: new Date(goneAt).toISOString() }]);
    site.floorplan('p', 'f2', 2);
    at(9_000);
    expect((await reconcile(site, { id: '2' })).told).toEqual([]);
    at(11_000);
    expect((await reconcile(site, { id: '3' })).told).toEqual(['floorplan.restored f2']);
  });

  it('takes no time of a clock that was hours ahead for now, where the service sends no Date', async () => {
    const site = await knownSite(4, { lookbackMs: 10_000, clock: undefined });
    site.floorplan('p', 'f100', 100);
    await site.catchUp();
    site.api.destroy(FLOORPLANS, 'f2');
    site.clock.advance(5 * 3_600_000);
    expect((await reconcile(site)).told).toEqual(['floorplan.deleted f2']);
    site.floorplan('p', 'f2', 2);
    site.clock.advance(-5 * 3_600_000);
    expect((await reconcile(site, { id: '2' })).told).toEqual(['floorplan.restored f2']);
  });

  it.each([2, 70 * 365])(
    'takes no time of an entity dated %i days ahead for now: what a copy that lags has not seen yet is there',
    async (days) => {
      const site = new Site();
      const paging = { perPage: 1000, lookbackMs: 60_000 };
      site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
      site.project('p', 1);
      site.floorplans('p', 10, 20);
      site.floorplan('p', 'future', 10_000 + days * 86_400);
      for (let n = 0; n < 3; n += 1) await site.poll({ paging });
      site.takeEvents();
      site.clock.advance(5000);
      site.floorplan('p', 'new', 10_000);
      await site.poll({ paging });
      expect(site.takeEvents()).toMatchObject([{ partitionkey: 'new' }]);
      await order(site, { scope: { list: FEED } });
      site.api.hidden.add('new');
      site.api.entityAnswers.set(`${FLOORPLANS}/new`, { verdict: 'missing' });
      await site.poll({ paging });
      expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
      site.api.hidden.clear();
      site.api.entityAnswers.clear();
      for (let n = 0; n < 5; n += 1) {
        site.clock.advance(60_000);
        await site.poll({ paging });
      }
      expect(site.takeEvents()).toEqual([]);
    },
  );

  it('takes no time ahead of our own clock for now, where the service sends no Date', async () => {
    const site = new Site();
    const paging = { perPage: 1000, lookbackMs: 60_000 };
    site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
    site.project('p', 1);
    site.floorplans('p', 10, 20);
    for (let n = 0; n < 3; n += 1) await site.poll({ paging });
    site.clock.advance(5000);
    site.floorplan('p', 'future', 10_000 + 20 * 3600);
    site.floorplan('p', 'new', 10_000);
    await site.poll({ paging });
    site.takeEvents();
    await order(site, { scope: { list: FEED } });
    site.api.hidden.add('new');
    site.api.entityAnswers.set(`${FLOORPLANS}/new`, { verdict: 'missing' });
    await site.poll({ paging });
    expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
    expect(site.takeEvents()).toEqual([]);
  });

  it('parks the lists of a project that is gone, and resumes them when it is back', async () => {
    const site = await knownSite();
    site.project('q', 2);
    await site.catchUp();
    site.api.destroy(PROJECTS, 'p');
    expect((await reconcile(site)).told).toEqual(['project.deleted p']);
    expect((await site.feed(FEED))?.parked).toBe('project-deleted');
    site.project('p', 1001);
    expect(await site.events()).toEqual(['project.restored p']);
    expect((await site.feed(FEED))?.parked).toBeUndefined();
  });

  it('parks those of another shard, too, though the topic does not take the delete at first', async () => {
    const site = await shardedSite();
    const id = idIn(SECOND);
    site.api.destroy(PROJECTS, id);
    await order(site);
    const publish = () => Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    await site.poll(FIRST, { topic: { publish } });
    site.clock.advance(60_000);
    expect(await site.events(FIRST)).toEqual([`project.deleted ${id}`]);
    await site.poll(SECOND);
    expect((await site.feed(`projects/${id}/floorplans`))?.parked).toBe('project-deleted');
  });

  it('counts what it may not ask for, and tells nothing of it', async () => {
    const site = await knownSite();
    site.api.hidden.add('f3');
    site.api.entityAnswers.set(`${FLOORPLANS}/f3`, { verdict: 'forbidden' });
    const { told, counts } = await reconcile(site);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ forbidden: 1, read: 3 });
  });

  it('judges what changed between the reading of its first page and of a later one of the same step', async () => {
    const site: Site = new Site({ clock: () => site.clock.now() });
    const paging = { perPage: 10, lookbackMs: 60_000 };
    site.clock.advance(Date.parse(timeAt(1000)) - site.clock.now());
    site.project('p', 1);
    site.floorplans('p', 10, 20);
    for (let n = 0; n < 3; n += 1) await site.poll({ paging });
    site.floorplans('p', 940, 1000);
    for (let n = 0; n < 3; n += 1) await site.poll({ paging });
    site.takeEvents();
    site.clock.advance(5000);
    site.api.destroy(FLOORPLANS, 'f946');
    await order(site, { scope: { list: FEED } });
    // A step reads only a part of the list.
    const allowance = () => ({ requests: left, perMinute: 80 });
    let left = 0;
    let isReconciling = false;
    const fetchPage: Ports['api']['fetchPage'] = async (request, signal) => {
      left -= 1;
      const page = await site.api.fetchPage(request, signal);
      isReconciling ||= request.path === FLOORPLANS && request.lastSyncedAt === undefined;
      if (isReconciling) site.clock.advance(20_000);
      return page;
    };
    const fetchEntity: Ports['api']['fetchEntity'] = (request, signal) => {
      left -= 1;
      return site.api.fetchEntity(request, signal);
    };
    for (let n = 0; n < 60 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
      left = 40;
      isReconciling = false;
      const endsAt = site.clock.now() + 600_000;
      const options = { paging, remainingMs: () => endsAt - site.clock.now(), leaseMs: 1_000_000 };
      await site.poll(options, { api: { fetchPage, fetchEntity, allowance } });
      site.clock.advance(60_000);
    }
    const told = site.takeEvents().map(({ type, partitionkey }) => `${type} ${partitionkey}`);
    expect(told).toEqual(['floorplan.deleted f946']);
  });

  it('judges all that an earlier reading had reached, though a machine whose clock is behind answers the next one', async () => {
    let behindMs = 0;
    const site: Site = new Site({ clock: () => site.clock.now() - behindMs });
    const paging = { perPage: 1000, lookbackMs: 60_000 };
    site.clock.advance(Date.parse(timeAt(10_000)) - site.clock.now());
    site.project('p', 1);
    site.floorplans('p', 10, 110);
    for (let n = 0; n < 2; n += 1) await site.poll({ paging });
    site.floorplan('p', 'z', 9995);
    for (const waitMs of [57_000, 9000]) {
      await site.poll({ paging });
      site.clock.advance(waitMs);
    }
    await site.poll({ paging });
    site.takeEvents();
    for (const id of ['z', ...Array.from({ length: 10 }, (_, n) => `f${10 + n}`)])
      site.api.destroy(FLOORPLANS, id);
    await order(site, { scope: { list: FEED } });
    for (let n = 0; n < 60 && (await site.store.loadCommands(PARTITIONS)).length > 0; n += 1) {
      // A step asks for a part of what is missing.
      let left = 16;
      const fetchPage: Ports['api']['fetchPage'] = async (request, signal) => {
        left -= 1;
        const isReconciling = request.path === FLOORPLANS && request.lastSyncedAt === undefined;
        behindMs = isReconciling && n === 1 ? 40_000 : 0;
        const page = await site.api.fetchPage(request, signal);
        behindMs = 0;
        return page;
      };
      const fetchEntity: Ports['api']['fetchEntity'] = (request, signal) => {
        left -= 1;
        return site.api.fetchEntity(request, signal);
      };
      const allowance = () => ({ requests: Math.max(0, left), perMinute: 16 });
      await site.poll({ paging }, { api: { fetchPage, fetchEntity, allowance } });
      site.clock.advance(10_000);
    }
    expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toContain('z');
  });

  it('tries a list again in the next run, not at once', async () => {
    const site = await knownSite();
    await order(site, { scope: { list: FEED } });
    let pageCount = 0;
    const fetchPage: Ports['api']['fetchPage'] = (request, signal) => {
      if (request.path !== FLOORPLANS) return site.api.fetchPage(request, signal);
      pageCount += 1;
      // The poll is answered.
      if (pageCount === 1) return site.api.fetchPage(request, signal);
      return Promise.reject(serviceFailure);
    };
    const fetchEntity = () => Promise.reject(serviceFailure);
    await site.poll({}, { api: { fetchPage, fetchEntity } });
    expect(pageCount).toBe(2);
    site.clock.advance(60_000);
    await site.poll();
    const { reports } = await site.store.loadShard(PARTITIONS);
    const total = reports.map(({ counts }) => counts).reduce(sumCounts, noCounts());
    expect(total).toMatchObject({ read: 1, failed: 0 });
  });

  it('counts an entity for which the service gives no answer, after three runs', async () => {
    const site = await knownSite();
    site.api.hidden.add('f3');
    site.api.entityAnswers.set(`${FLOORPLANS}/f3`, serviceFailure);
    const { told, counts } = await reconcile(site);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ unanswered: 1, read: 3, failed: 0 });
  });

  it.each([
    [429, 0, 4],
    [429, 1_800_000, 30],
    [429, 36_000_000, 60],
    [503, 600_000, 10],
  ])(
    'asks again for an entity that is answered with %i and a Retry-After of %i ms after %i minutes',
    async (status, retryAfterMs, minutes) => {
      const site = await knownSite();
      site.api.destroy(FLOORPLANS, 'f3');
      const limited = new ServiceError('not now', { status, retryAfterMs, hint: 'Wait.' });
      site.api.entityAnswers.set(`${FLOORPLANS}/f3`, limited);
      await order(site, { scope: { list: FEED } });
      let triedAt: number | undefined;
      let tryCount = 0;
      const minutesBetween: number[] = [];
      const fetchEntity: Ports['api']['fetchEntity'] = (request, signal) => {
        const now = site.clock.now();
        if (triedAt !== undefined) minutesBetween.push((now - triedAt) / 60_000);
        triedAt = now;
        tryCount += 1;
        if (tryCount === 3) site.api.entityAnswers.clear();
        return site.api.fetchEntity(request, signal);
      };
      for (let minute = 0; minute < 3 * minutes; minute += 1) {
        await site.poll(
          {},
          { api: { fetchPage: (...args) => site.api.fetchPage(...args), fetchEntity } },
        );
        site.clock.advance(60_000);
      }
      expect(minutesBetween.slice(0, 2)).toEqual([minutes, minutes]);
      expect(site.takeEvents().map(({ type }) => type)).toEqual(['floorplan.deleted']);
    },
  );

  it('counts each entity once, though the answer for a later one fails at first', async () => {
    const site = await knownSite(6);
    for (const id of ['f3', 'f4', 'f5']) site.api.hidden.add(id);
    site.api.entityAnswers.set(`${FLOORPLANS}/f5`, serviceFailure);
    const { told, counts } = await reconcile(site, {}, { concurrency: 1 });
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ listWrong: 2, unanswered: 1, entities: 4, read: 3 });
  });

  it('reports a list that leaves out what is there, and tells what it hid', async () => {
    const site = await knownSite();
    site.api.hidden.add('f3').add('f4');
    site.api.put(FLOORPLANS, entityAt('f4', 900, deletedAt(900)));
    const { told, counts } = await reconcile(site);
    expect(told).toEqual(['floorplan.deleted f4']);
    expect(counts).toMatchObject({ listWrong: 2, deleted: 1 });
  });
});

it('a reconciliation tells each of more than a thousand missing entities once, whatever was remembered at first', async () => {
  const paging = { perPage: 1_000, lookbackMs: 0 };
  const site = new Site({ clock: () => Date.parse(timeAt(9_000)) });
  site.project('p', 1);
  site.floorplans('p', 2, 1_010);
  for (let n = 0; n < 3; n += 1) await site.poll({ paging });
  site.takeEvents();
  const ids = Array.from({ length: 1_007 }, (_, n) => `f${n + 2}`);
  for (const id of ids) site.api.destroy(FLOORPLANS, id);
  const { told, counts } = await reconcile(site, { force: true }, { paging });
  expect(told.toSorted()).toEqual(ids.map((id) => `floorplan.deleted ${id}`).toSorted());
  expect(counts).toMatchObject({ deleted: 1_007, read: 3, failed: 0, stopped: 0 });
});

describe('a list that is wrong', () => {
  it('is not asked about when more is missing than may be, unless that is forced', async () => {
    const site = await knownSite();
    for (const id of ['f2', 'f3', 'f4']) site.api.destroy(FLOORPLANS, id);
    const { told, counts, problems } = await reconcile(site);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ stopped: 1, read: 2, deleted: 0 });
    const cause = '3 of 4 known entities are missing from it at once.';
    expect(problems).toEqual([{ list: FEED, outcome: 'stopped', cause }]);
    const asked = site.api.takePaths().filter((path) => path.startsWith(`${FLOORPLANS}/`));
    expect(asked).toEqual([]);
    expect(site.telemetry.counted('ReconcileListsFailed')).toBe(1);
    const forced = await reconcile(site, { id: '2', force: true });
    expect(forced.told).toEqual(['f2', 'f3', 'f4'].map((id) => `floorplan.deleted ${id}`));
  });

  it('deletes nothing if it is empty by mistake, with force neither', async () => {
    const site = await knownSite();
    for (const id of ['f2', 'f3', 'f4', 'f5']) site.api.hidden.add(id);
    const { told, counts } = await reconcile(site);
    expect([told, counts.stopped]).toEqual([[], 1]);
    const forced = await reconcile(site, { id: '2', force: true });
    expect([forced.told, forced.counts.listWrong]).toEqual([[], 4]);
  });

  it('has no verdict if it is empty, and the service sends no Date, with force neither', async () => {
    const site = await knownSite(4, { clock: undefined });
    for (const id of ['f2', 'f3', 'f4', 'f5']) site.api.destroy(FLOORPLANS, id);
    const { told, problems } = await reconcile(site, { force: true });
    expect(told).toEqual([]);
    const cause = 'Neither a Date nor an entity tells how late it is for the service.';
    expect(problems).toEqual([{ list: FEED, outcome: 'failed', cause }]);
  });

  it('deletes no project if no project is shown, with force neither: the permission may be gone', async () => {
    const site = await knownSite();
    site.api.destroy(PROJECTS, 'p');
    const { told, problems } = await reconcile(site, { force: true });
    expect(told).toEqual([]);
    expect(problems).toMatchObject([{ list: 'projects', outcome: 'failed' }]);
  });

  it.each<[string, Error, object]>([
    ['is refused', new FeedRefusedError('403', { status: 403, hint: 'Wait.' }), { skipped: 1 }],
    ['fails in every run', serviceFailure, { failed: 1 }],
  ])('deletes nothing if it %s', async (_, error, counts) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const refuse = () => Promise.reject(error);
    site.api.answerNext(FLOORPLANS, ...Array.from({ length: 20 }, () => refuse));
    const found = await reconcile(site);
    expect(found.told).toEqual([]);
    expect(found.counts).toMatchObject({ deleted: 0, ...counts });
  });

  it('deletes nothing if it breaks off between two pages', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f2');
    // Each run polls it once; then the reconciliation reads a page, and fails with the next.
    const answers = [whole, whole, fail];
    site.api.answerNext(FLOORPLANS, ...answers, ...answers, ...answers);
    const { told, problems } = await reconcile(site);
    expect(told).toEqual([]);
    expect(problems).toEqual([{ list: FEED, outcome: 'failed', cause: 'GET: 500' }]);
    expect(site.telemetry.logs).toContainEqual({
      level: 'warn',
      message: 'A list was not reconciled: GET: 500',
      fields: { feed: FEED, outcome: 'failed' },
    });
  });
});

describe('a 404 proves nothing', () => {
  const deletedProject = {
    ...{ id: 'p', updated_at: timeAt(900), deleted_at: timeAt(900) },
  };

  it.each<[string, (site: Site) => unknown, string]>([
    [
      'if the project is deleted meanwhile',
      ({ api }) =>
        api.entityAnswers.set('/projects/p', { verdict: 'found', entity: deletedProject }),
      'Its project is deleted.',
    ],
    [
      'if the project may not be seen',
      ({ api }) => api.entityAnswers.set('/projects/p', { verdict: 'forbidden' }),
      'Its project is forbidden.',
    ],
    [
      'if it comes for an entity that the list shows, too',
      ({ api }) => api.entityAnswers.set(`${FLOORPLANS}/f2`, { verdict: 'missing' }),
      'The service does not answer for f2, which the list shows, by its id.',
    ],
  ])('%s', async (_, arrange, cause) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    arrange(site);
    const { told, problems } = await reconcile(site);
    expect(told).toEqual([]);
    expect(problems).toEqual([{ list: FEED, outcome: 'failed', cause }]);
  });

  it('of what changed less than the lookback ago: a copy may lag', async () => {
    const site = await knownSite(4, { lookbackMs: 60_000 });
    site.floorplan('p', 'fresh', 950);
    await site.catchUp();
    site.api.destroy(FLOORPLANS, 'fresh');
    expect((await reconcile(site)).told).toEqual([]);
  });
});

describe('a reconciliation that cannot be done at once', () => {
  it.each([
    ['which polling has first', ['f12', 'f15', 'f3', 'f6', 'f9']],
    ['and judges what is missing by the whole list', ['f10', 'f6', 'f7', 'f8', 'f9']],
  ])('goes on over many runs within the request budget, %s', async (_, gone) => {
    const site = await knownSite(20);
    for (const id of gone) site.api.destroy(FLOORPLANS, id);
    let requestCount = 0;
    const count = <T>(answer: T): T => {
      requestCount += 1;
      return answer;
    };
    const { api } = site;
    const limited: Partial<Ports> = {
      api: {
        fetchPage: (request, signal) => count(api.fetchPage(request, signal)),
        fetchEntity: (request, signal) => count(api.fetchEntity(request, signal)),
        allowance: () => ({ requests: Math.max(0, 5 - requestCount), perMinute: 5 }),
      },
    };
    await order(site);
    let runCount = 0;
    while ((await site.store.loadCommands(PARTITIONS)).length > 0 && runCount < 200) {
      runCount += 1;
      requestCount = 0;
      await site.poll({ concurrency: 1 }, limited);
      site.clock.advance(60_000);
    }
    const told = site.takeEvents().map(({ partitionkey }) => partitionkey);
    expect(told.sort()).toEqual(gone);
    expect(runCount).toBeGreaterThan(5);
    expect((await reportOf(site)).counts).toMatchObject({ deleted: 5, read: 3 });
  });

  it.each([20, 5])(
    'has a tenth of %i requests, or one, where polling would need all of them',
    async (perMinute) => {
      const site = await knownSite();
      for (let n = 0; n < 12; n += 1) site.project(`q${n}`, 2);
      await site.catchUp();
      await site.catchUp();
      site.api.destroy(FLOORPLANS, 'f3');
      await order(site);
      const { api } = site;
      for (let runs = 0; runs < 60; runs += 1) {
        api.takePaths();
        const allowance = () => ({ requests: perMinute - api.requests.length, perMinute });
        const fetchPage = api.fetchPage.bind(api);
        const fetchEntity = api.fetchEntity.bind(api);
        await site.poll({ concurrency: 1 }, { api: { fetchPage, fetchEntity, allowance } });
        site.clock.advance(60_000);
      }
      expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
      expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toEqual(['f3']);
    },
  );

  it('begins with smaller pages after a try whose pages were all too slow', async () => {
    const site = await knownSite(100);
    site.api.destroy(FLOORPLANS, 'f15');
    const { api } = site;
    const fetchEntity = api.fetchEntity.bind(api);
    const sizes: number[] = [];
    const slow: Partial<Ports> = {
      api: {
        fetchPage(request, signal) {
          if (request.path !== FLOORPLANS) return api.fetchPage(request, signal);
          sizes.push(request.perPage);
          if (request.perPage > 40 && request.lastSyncedAt === undefined)
            throw new PageTooSlowError('no answer in time', { hint: 'Wait.' });
          return api.fetchPage(request, signal);
        },
        fetchEntity,
      },
    };
    const paging = { perPage: 1000, lookbackMs: 0 };
    const { told, problems } = await reconcile(site, {}, { paging }, slow);
    expect(sizes.filter((size) => size > 40)).toEqual(
      expect.arrayContaining([1000, 500, 250, 125, 62]),
    );
    expect([told, problems]).toEqual([['floorplan.deleted f15'], []]);
  });

  it('goes on over runs that are much shorter than the time between them', async () => {
    const site = await knownSite(20);
    site.api.destroy(FLOORPLANS, 'f15');
    await order(site);
    const { api, clock } = site;
    const fetchEntity = api.fetchEntity.bind(api);
    const slow: Partial<Ports> = {
      api: {
        async fetchPage(request, signal) {
          clock.advance(6_000);
          await settlePromises();
          signal?.throwIfAborted();
          return api.fetchPage(request, signal);
        },
        fetchEntity,
      },
    };
    for (let n = 0; n < 20; n += 1) {
      const endsAt = clock.now() + 55_000;
      await site.poll({ everyMs: 300_000, remainingMs: () => endsAt - clock.now() }, slow);
      clock.advance(245_000);
    }
    expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
    expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toEqual(['f15']);
  });

  it('ends when it is cancelled', async () => {
    const site = await knownSite();
    await order(site);
    const { store, api } = site;
    store.saveProgress = () => Promise.resolve(false);
    // One page a step.
    const fetchPage = api.fetchPage.bind(api);
    const allowance = () => ({ requests: 4, perMinute: 4 });
    await site.poll({}, { api: { fetchPage, allowance } });
    const { reports } = await store.loadShard([feedPartition({ projectId: 'p' })]);
    expect(reports).toEqual([]);
  });

  it('fails no poll when the topic does not accept its events, and goes on with the next run', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    await order(site);
    const publish = () => Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    await site.poll({}, { topic: { publish } });
    expect(site.telemetry.logs.map(({ message }) => message)).toContain(
      'A command was interrupted; the next run goes on with it',
    );
    expect((await reconcile(site)).told).toEqual(['floorplan.deleted f3']);
  });

  it('waits after failed tries of its own in one and the same run, too', async () => {
    const site = await knownSite();
    // The first one loads its code, which the clock does not wait for.
    await reconcile(site);
    site.api.destroy(FLOORPLANS, 'f3');
    await order(site);
    let tryCount = 0;
    const publish = () => {
      tryCount += 1;
      return Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    };
    const polling = site.poll({ pollEveryMs: 5_000 }, { topic: { publish } });
    for (let second = 0; second < 60; second += 1) {
      await settlePromises();
      site.clock.advance(1_000);
    }
    await polling;
    // The second failure keeps it waiting for a minute.
    expect(tryCount).toBe(2);
  });

  it('waits for 1, 2, 4 … minutes from the second failed try of its own on, at most ten', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    await order(site);
    const tries: number[] = [];
    for (let minute = 0; minute < 40; minute += 1) {
      const publish = () => {
        tries.push(minute);
        return Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
      };
      await site.poll({}, { topic: { publish } });
      site.clock.advance(60_000);
    }
    expect(tries.slice(1).map((minute, n) => minute - (tries[n] ?? 0))).toEqual([
      ...[1, 1, 2, 4, 8, 10, 10],
    ]);
    site.clock.advance(600_000);
    expect((await reconcile(site)).told).toEqual(['floorplan.deleted f3']);
  });

  it('waits while the whole service fails', async () => {
    const site = await knownSite();
    await order(site);
    const down = () => Promise.reject(serviceFailure);
    for (let n = 0; n < 4; n += 1) {
      await site.poll({}, { api: { fetchPage: down, fetchEntity: down } });
      site.clock.advance(60_000);
    }
    expect((await reconcile(site)).counts).toMatchObject({ failed: 0, read: 3 });
  });

  it.each([
    ['paused', { paused: true }],
    ['parked', { parked: 'refused' }],
    ['in its baseline', { phase: 'baseline', paused: true }],
  ] as const)('passes over a list that is %s', async (_, fields) => {
    const site = await knownSite();
    const feed = await site.feed(FEED);
    if (feed)
      await site.store.commitFeed({ ...feed, ...fields, notBefore: site.clock.now() + 3_000_000 });
    site.api.destroy(FLOORPLANS, 'f3');
    const { told, counts } = await reconcile(site);
    expect([told, counts.skipped]).toEqual([[], 1]);
  });

  it.each([{ list: FEED }, { resource: 'floorplans' }])(
    'passes over a list that config leaves out, and counts it: %o',
    async (scope) => {
      const site = await knownSite();
      const { told, counts } = await reconcile(
        site,
        { scope },
        { catalog: makeCatalog({ resources: [] }) },
      );
      expect([told, counts.skipped]).toEqual([[], 1]);
    },
  );
});
