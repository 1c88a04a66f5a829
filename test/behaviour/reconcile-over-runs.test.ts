import { describe, expect, it } from 'vitest';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import { feedPartition } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import { settlePromises } from '../support/manual-clock.ts';
import {
  FLOORPLANS,
  PARTITIONS,
  knownSite,
  orderReconciliation,
  runReconciliation,
  reportOf,
} from '../support/reconciled-site.ts';
import { FEED, serviceFailure } from '../support/site.ts';

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
    await orderReconciliation(site);
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
      await orderReconciliation(site);
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

  it('goes on over runs that are much shorter than the time between them', async () => {
    const site = await knownSite(20);
    site.api.destroy(FLOORPLANS, 'f15');
    await orderReconciliation(site);
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
    const site = await knownSite(8);
    await orderReconciliation(site);
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
    await orderReconciliation(site);
    const publish = () => Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
    await site.poll({}, { topic: { publish } });
    expect(site.telemetry.logs.map(({ message }) => message)).toContain(
      'A command was interrupted; the next run goes on with it',
    );
    expect((await runReconciliation(site)).told).toEqual(['floorplan.deleted f3']);
  });

  it('waits after failed tries of its own in one and the same run, too', async () => {
    const site = await knownSite();
    // The first one loads its code, which the clock does not wait for.
    await runReconciliation(site);
    site.api.destroy(FLOORPLANS, 'f3');
    await orderReconciliation(site);
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

  it.each([
    ['stays as it is', false],
    ['changes each minute', true],
  ])(
    'waits for 1, 2, 4 … minutes from the second failed try of its own on, at most ten, in a list that %s',
    async (_, changes) => {
      const site = await knownSite();
      site.api.destroy(FLOORPLANS, 'f3');
      await orderReconciliation(site);
      const tries: number[] = [];
      for (let minute = 0; minute < 40; minute += 1) {
        const publish: Ports['topic']['publish'] = (events) => {
          if (events.every(({ partitionkey }) => partitionkey !== 'f3'))
            return site.topic.publish(events);
          tries.push(minute);
          return Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }));
        };
        if (changes) site.floorplan('p', `new${minute}`, 1000 + 60 * minute);
        await site.poll({}, { topic: { publish } });
        site.clock.advance(60_000);
      }
      expect(tries.slice(1).map((minute, n) => minute - (tries[n] ?? 0))).toEqual([
        ...[1, 1, 2, 4, 8, 10, 10],
      ]);
      site.takeEvents();
      site.clock.advance(600_000);
      expect((await runReconciliation(site)).told).toEqual(['floorplan.deleted f3']);
    },
  );

  it('waits while the whole service fails', async () => {
    const site = await knownSite();
    await orderReconciliation(site);
    const down = () => Promise.reject(serviceFailure);
    for (let n = 0; n < 4; n += 1) {
      await site.poll({}, { api: { fetchPage: down, fetchEntity: down } });
      site.clock.advance(60_000);
    }
    expect((await runReconciliation(site)).counts).toMatchObject({ failed: 0, read: 3 });
  });

  it.each([
    ['paused', { paused: true }],
    ['in its baseline', { phase: 'baseline', paused: true }],
  ] as const)('passes over a list that is %s', async (_, fields) => {
    const site = await knownSite();
    const feed = await site.feed(FEED);
    if (feed) await site.store.commitFeed({ ...feed, ...fields });
    site.api.destroy(FLOORPLANS, 'f3');
    const { told, counts } = await runReconciliation(site);
    expect([told, counts.skipped]).toEqual([[], 1]);
  });

  it.each([{ list: FEED }, { resource: 'floorplans' }])(
    'passes over a list that config leaves out, and counts it: %o',
    async (scope) => {
      const site = await knownSite();
      const { told, counts } = await runReconciliation(
        site,
        { scope },
        { catalog: makeCatalog({ resources: [] }) },
      );
      expect([told, counts.skipped]).toEqual([[], 1]);
    },
  );
});
