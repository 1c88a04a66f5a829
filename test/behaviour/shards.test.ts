import { describe, expect, it } from 'vitest';
import { partitionsOf, type Feed } from '../../functions/core/model/feed.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { intercept, recordCalls, replaceCall } from '../support/intercept.ts';
import { FIRST, idIn, SECOND, shardedSite } from '../support/sharded-site.ts';
import {
  checklistsOf,
  deletedAt,
  floorplansOf,
  PROJECTS,
  serviceFailure,
  Site,
} from '../support/site.ts';

const [OWN, OTHER] = [idIn(FIRST), idIn(SECOND)];
const OTHER_FEED = floorplansOf(OTHER).slice(1);

describe('two shards', () => {
  it('poll the lists of their own projects, and one of them the projects', async () => {
    const site = await shardedSite();
    expect((await site.paths(FIRST)).filter((path) => path === PROJECTS)).toEqual([PROJECTS]);
    expect(await site.paths(FIRST)).not.toContain(floorplansOf(OTHER));
    expect(await site.paths(SECOND)).toEqual(expect.arrayContaining([floorplansOf(OTHER)]));
    expect(await site.paths(SECOND)).not.toContain(PROJECTS);
    site.floorplan(OWN, 'f', 20);
    site.floorplan(OTHER, 'g', 20);
    expect(await site.events(FIRST)).toEqual(['floorplan.updated f']);
    expect(await site.events(SECOND)).toEqual(['floorplan.created g']);
  });
});

describe('a project whose lists belong to another shard', () => {
  it('is published in full if it is new', async () => {
    const site = new Site();
    site.project(OWN, 1);
    for (const shard of [FIRST, SECOND]) await site.poll(shard);
    site.project(OTHER, 20);
    site.floorplan(OTHER, 'f', 2);
    expect(await site.events(FIRST)).toEqual([`project.created ${OTHER}`]);
    expect(await site.events(SECOND)).toEqual(['floorplan.created f']);
  });

  it('has its baseline, even if its shard polls it after that of the projects', async () => {
    const site = new Site();
    site.project(OTHER, 1);
    site.floorplan(OTHER, 'f', 2);
    await site.poll(FIRST);
    site.project(OTHER, 20, { name: 'Bridge' });
    await site.events(FIRST);
    expect(await site.events(SECOND)).toEqual([]);
    site.floorplan(OTHER, 'f', 30);
    expect(await site.events(SECOND)).toEqual(['floorplan.updated f']);
  });
  it('is parked and polled once more when it is deleted, and goes on when it is restored', async () => {
    const site = await shardedSite();
    site.floorplan(OTHER, 'last', 19);
    site.project(OTHER, 20, deletedAt(20));
    await site.poll(FIRST);
    expect(await site.poll(SECOND)).toMatchObject({ polled: 4 });
    expect(site.takeEvents().map(({ type }) => type)).toEqual([
      'project.deleted',
      'floorplan.created',
    ]);
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: {} });
    site.project(OTHER, 30);
    site.floorplan(OTHER, 'next', 30);
    await site.poll(FIRST);
    expect(await site.poll(SECOND)).toMatchObject({ polled: 4 });
    expect(await site.feed(OTHER_FEED)).not.toHaveProperty('parked');
  });
  it('is parked while its shard polls it, and that run does not fail', async () => {
    const site = await shardedSite();
    site.floorplan(OTHER, 'f', 20, { name: 'last words' });
    site.project(OTHER, 21, deletedAt(21));
    const topic = intercept(site.topic, async ({ proceed }) => {
      await site.poll({ ...FIRST, runId: 'first' });
      return proceed();
    });
    expect(await site.poll(SECOND, { topic })).toMatchObject({ waiting: 0, polled: 4 });
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: {} });
    expect(site.takeEvents().map(({ type }) => type)).toEqual([
      'project.deleted',
      'floorplan.updated',
    ]);
    expect(await site.events(SECOND)).toEqual([]);
  });
});

describe('the list of projects', () => {
  it('costs no write of lists that are as they should be', async () => {
    const site = await shardedSite();
    site.project(OTHER, 20, { name: 'Tower' });
    const calls: string[] = [];
    await site.poll(FIRST, { store: recordCalls(site.store, calls) });
    expect(calls).not.toContain('addFeeds');
    expect(calls.filter((name) => name === 'commitFeed')).toHaveLength(1);
  });

  it.each([
    ['of another shard, up to five times', OTHER, 4, 1],
    ['of its own shard', OWN, 1, 1],
    ['with the next run, if it is written all the time', OTHER, 5, 2],
  ])('parks a list that others write meanwhile, %s', async (_, project, writeCount, runCount) => {
    const site = await shardedSite();
    const id = floorplansOf(project).slice(1);
    site.project(project, 20, deletedAt(20));
    let written = 0;
    const store = replaceCall(site.store, 'commitFeed', async ({ parameters, proceed }) => {
      const [feed] = parameters as [Feed];
      if (feed.id === id && written < writeCount) {
        written += 1;
        await site.store.commitFeed({ ...(await site.feed(id)), paused: true } as Feed);
      }
      return proceed();
    });
    for (let run = 1; run <= runCount; run += 1) {
      expect(await site.feed(id)).not.toHaveProperty('parked');
      await site.poll(FIRST, { store });
    }
    expect(await site.feed(id)).toMatchObject({ parked: {}, paused: true });
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['project.deleted']);
  });
});

describe('the lists of a shard without the projects', () => {
  /** Fails the next two requests for each list that the second shard may request. */
  function failAll({ api }: Site): void {
    const fail = () => Promise.reject(serviceFailure);
    const lists = ['p', OTHER].flatMap((id) => [floorplansOf(id), checklistsOf(id)]);
    for (const list of [PROJECTS, ...lists]) {
      api.answerNext(list, fail, fail);
    }
  }

  it('that are all refused show no outage while the projects are shown', async () => {
    const site = await shardedSite();
    for (const list of [floorplansOf(OTHER), checklistsOf(OTHER)]) site.api.refuse(list);
    expect(await site.poll(SECOND)).not.toHaveProperty('outageSince');
    expect(await site.feed(OTHER_FEED)).toMatchObject({ wait: { isRefused: true } });
  });

  it('that all fail show an outage if the projects fail, too', async () => {
    const site = await shardedSite();
    failAll(site);
    expect(await site.poll(SECOND)).toHaveProperty('outageSince');
  });
});

/** Runs of all shards in a minute. */
const placesOf = (shardCount: number): Partial<RunOptions>[] =>
  Array.from({ length: shardCount }, (_, shard) => ({
    runId: `${shard} of ${shardCount}`,
    shard,
    partitions: partitionsOf(shard, shardCount),
  }));

describe('a changing number of shards', () => {
  it('moves no feed: every list is polled by one shard, whatever their number', async () => {
    const site = new Site();
    for (let n = 1; n <= 20; n += 1) site.project(`p${n}`, n);
    await site.poll();
    const before = await site.store.loadFeeds(partitionsOf(0, 1));
    for (const shardCount of [4, 2, 16, 1]) {
      site.clock.advance(60_000);
      site.api.takePaths();
      for (const place of placesOf(shardCount)) await site.poll(place);
      const paths = site.api.takePaths();
      expect(paths.toSorted()).toEqual(before.map(({ id }) => `/${id}`).toSorted());
    }
  });

  it('loses no change, and repeats those of runs that died with the same ids', async () => {
    const site = new Site();
    for (let n = 1; n <= 20; n += 1) site.project(`p${n}`, n);
    await site.catchUp();
    const dying = replaceCall(site.store, 'saveStates', () => Promise.reject(new Error('killed')));
    for (const [from, to] of [[1, 4] as const, [4, 2] as const]) {
      for (let n = 1; n <= 20; n += 1) site.floorplan(`p${n}`, `f${to}`, 100 + n);
      for (const place of placesOf(from))
        await expect(site.poll(place, { store: dying })).rejects.toThrow('killed');
      site.clock.advance(600_000);
      for (const place of placesOf(to)) await site.poll(place);
      const ids = site.takeEvents().map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([40, 20]);
    }
  });

  it('lets a shard wait for the run that has one of its partitions', async () => {
    const site = await shardedSite();
    const seen: unknown[] = [];
    site.api.answerNext(PROJECTS, async (page) => {
      for (const place of placesOf(4)) seen.push((await site.poll(place)).leaseHeld);
      return page;
    });
    await site.poll({ ...FIRST, runId: 'before' });
    expect(seen).toEqual([true, false, true, false]);
  });
});
