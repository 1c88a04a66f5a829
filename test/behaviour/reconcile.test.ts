import { describe, expect, it } from 'vitest';
import { PublishFailedError, ServiceError } from '../../functions/core/model/errors.ts';
import { noCounts, sumCounts } from '../../functions/core/model/reconcile-report.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { EntityRequest } from '../../functions/core/ports/service-api.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  FLOORPLANS,
  PARTITIONS,
  knownSite,
  orderReconciliation,
  runReconciliation,
} from '../support/reconciled-site.ts';
import { FIRST, idIn, SECOND, shardedSite } from '../support/sharded-site.ts';
import { deletedAt, entityAt, FEED, PROJECTS, serviceFailure, Site } from '../support/site.ts';

describe('a reconciliation', () => {
  it('of what is known as it is tells nothing, and leaves the feeds as they are', async () => {
    const site = await knownSite();
    const before = await site.feed(FEED);
    const { told, counts, problems } = await runReconciliation(site);
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
    const { told, counts } = await runReconciliation(site);
    expect(told).toEqual(['floorplan.created f3', 'template_check_item.created i']);
    expect(counts).toMatchObject({ created: 2, deleted: 0 });
    expect(site.telemetry.counted('ReconcileHealed')).toBe(2);
    expect((await runReconciliation(site, { id: '2' })).told).toEqual([]);
  });

  it('asks for a valid entity first, where the list shows invalid ones before it', async () => {
    const site = await knownSite();
    const invalid = entityAt('invalid', 1, { deleted_at: 'never' });
    site.api.put(FLOORPLANS, invalid, entityAt('invalid-too', 1, { deleted_at: 'never' }));
    await site.poll();
    site.api.destroy(FLOORPLANS, 'f3');
    const { told, problems } = await runReconciliation(site);
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
    const { told, problems } = await runReconciliation(site, {}, {}, { api });
    expect(told).toContain('floorplan.deleted f4');
    expect(problems).toEqual([]);
  });

  it('tells a version that polling has missed', async () => {
    const site = await knownSite();
    site.floorplan('p', 'f3', 3.5, { name: 'Ground floor' });
    expect(await site.events()).toEqual([]);
    const { events, counts } = await runReconciliation(site);
    expect(events).toMatchObject([{ type: 'floorplan.updated', data: { changed: ['name'] } }]);
    expect(counts.updated).toBe(1);
    expect(site.telemetry.lags).toEqual([]);
  });

  it('tells an entity that the service does not know any more as deleted, once, with its last object', async () => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const { events, counts } = await runReconciliation(site);
    const object = entityAt('f3', 3);
    expect(events).toMatchObject([{ type: 'floorplan.deleted', data: { object } }]);
    expect(events[0]?.sequence).toBe(timeAt(3).replace('Z', '000001Z'));
    expect(counts).toMatchObject({ deleted: 1, listWrong: 0 });
    expect((await runReconciliation(site, { id: '2' })).told).toEqual([]);
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
    const forced = await runReconciliation(site, { force: true });
    expect(forced.told).toEqual(['floorplan.deleted f2']);
    expect(forced.counts).toMatchObject({ deleted: 1, tooRecent: 2 });
    second = 1010;
    const next = await runReconciliation(site, { id: '2', force: true });
    expect(next.told).toEqual(['floorplan.deleted f3', 'floorplan.deleted f4']);
    expect(next.counts.tooRecent).toBe(0);
  });

  it('tells one that is back as restored, also if it did not change', async () => {
    const site = await knownSite(4, { lookbackMs: 10_000 });
    site.api.destroy(FLOORPLANS, 'f3');
    await runReconciliation(site);
    site.floorplan('p', 'f3', 3);
    expect((await runReconciliation(site, { id: '2' })).told).toEqual(['floorplan.restored f3']);
    expect((await runReconciliation(site, { id: '3' })).told).toEqual([]);
  });

  it('tells what changed below one that is back, although it is older than its absence', async () => {
    let second = 1000;
    const site = await knownSite(0, { clock: () => Date.parse(timeAt(second)) });
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    site.checklist('p', 'd', 10, []);
    await site.catchUp();
    site.takeEvents();
    site.api.destroy('/projects/p/template_checklists', 'c');
    expect((await runReconciliation(site)).told).toEqual(['template_checklist.deleted c']);
    site.checklist('p', 'c', 20, [entityAt('i', 20), entityAt('k', 20)]);
    second = 1020;
    expect((await site.events()).toSorted()).toEqual([
      'template_check_item.created k',
      'template_check_item.deleted j',
      'template_check_item.updated i',
      'template_checklist.restored c',
    ]);
    expect((await runReconciliation(site, { id: '2' })).told).toEqual([]);
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
      await orderReconciliation(site, { scope: { list: FEED } });
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
    await orderReconciliation(site, { scope: { list: FEED } });
    site.api.hidden.add('new');
    site.api.entityAnswers.set(`${FLOORPLANS}/new`, { verdict: 'missing' });
    await site.poll({ paging });
    expect(await site.store.loadCommands(PARTITIONS)).toEqual([]);
    expect(site.takeEvents()).toEqual([]);
  });

  it('parks the lists of a project that is gone, and resumes them when it is back', async () => {
    let second = 1000;
    const site = await knownSite(4, { clock: () => Date.parse(timeAt(second)) });
    site.project('q', 2);
    await site.catchUp();
    site.api.destroy(PROJECTS, 'p');
    expect((await runReconciliation(site)).told).toEqual(['project.deleted p']);
    expect((await site.feed(FEED))?.parked).toBeDefined();
    site.project('p', 1001);
    second = 1020;
    expect(await site.events()).toEqual(['project.restored p']);
    expect((await site.feed(FEED))?.parked).toBeUndefined();
  });

  it('parks those of another shard, too, though the topic does not take the delete at first', async () => {
    const site = await shardedSite();
    const id = idIn(SECOND);
    site.api.destroy(PROJECTS, id);
    await orderReconciliation(site);
    const publish = () => Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    await site.poll(FIRST, { topic: { publish } });
    site.clock.advance(60_000);
    expect(await site.events(FIRST)).toEqual([`project.deleted ${id}`]);
    await site.poll(SECOND);
    expect((await site.feed(`projects/${id}/floorplans`))?.parked).toBeDefined();
  });

  it('counts what it may not ask for, and tells nothing of it', async () => {
    const site = await knownSite();
    site.api.hidden.add('f3');
    site.api.entityAnswers.set(`${FLOORPLANS}/f3`, { verdict: 'forbidden' });
    const { told, counts } = await runReconciliation(site);
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
    await orderReconciliation(site, { scope: { list: FEED } });
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
    await orderReconciliation(site, { scope: { list: FEED } });
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
    await orderReconciliation(site, { scope: { list: FEED } });
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
    const { told, counts } = await runReconciliation(site);
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
      await orderReconciliation(site, { scope: { list: FEED } });
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
    const { told, counts } = await runReconciliation(site, {}, { concurrency: 1 });
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ listWrong: 2, unanswered: 1, entities: 4, read: 3 });
  });

  it('asks for all that is missing in the run that finds it, some at a time, and reads the list once', async () => {
    const site = await knownSite(20);
    const ids = ['f3', 'f4', 'f5', 'f6', 'f7', 'f8'];
    for (const id of ids) site.api.destroy(FLOORPLANS, id);
    await orderReconciliation(site, { scope: { list: FEED } });
    site.api.takePaths();
    await site.poll({ concurrency: 2, paging: { perPage: 100, lookbackMs: 0 } });
    expect(site.takeEvents().map(({ partitionkey }) => partitionkey)).toEqual(ids);
    // The poll, and the reconciliation.
    expect(site.api.takePaths().filter((path) => path === FLOORPLANS)).toHaveLength(2);
  });

  it('reports a list that leaves out what is there, and tells what it hid', async () => {
    const site = await knownSite();
    site.api.hidden.add('f3').add('f4');
    site.api.put(FLOORPLANS, entityAt('f4', 900, deletedAt(900)));
    const { told, counts } = await runReconciliation(site);
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
  const { told, counts } = await runReconciliation(site, { force: true }, { paging });
  expect(told.toSorted()).toEqual(ids.map((id) => `floorplan.deleted ${id}`).toSorted());
  expect(counts).toMatchObject({ deleted: 1_007, read: 3, failed: 0, stopped: 0 });
});
