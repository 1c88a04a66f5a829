import { describe, expect, it } from 'vitest';
import { feedPartition, partitionsOf } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import type { StateStore } from '../../functions/core/ports/state-store.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { change } from '../support/place-commands.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  floorplansOf,
  PROJECTS,
  serviceFailure,
  Site,
} from '../support/site.ts';

/** Places of two shards: the first polls the projects. */
const [FIRST, SECOND] = [0, 1].map((shard) => ({
  shard,
  shardCount: 2,
  partitions: partitionsOf(shard, 2),
})) as [Partial<RunOptions>, Partial<RunOptions>];

/** Ids of projects whose lists belong to the shards. */
const idsIn = ({ partitions = [] }: Partial<RunOptions>): string[] =>
  Array.from({ length: 99 }, (_, i) => `p${i}`).filter((projectId) =>
    partitions.includes(feedPartition({ projectId })),
  );
const [OWN = ''] = idsIn(FIRST);
const [OTHER = '', NEW = ''] = idsIn(SECOND);
const OTHER_FEED = floorplansOf(OTHER).slice(1);

/** A site with a project in each shard, whose baselines are done. */
async function shardedSite(): Promise<Site> {
  const site = new Site();
  for (const id of [OWN, OTHER]) {
    site.project(id, 1);
    site.floorplan(id, 'f', 2);
  }
  for (const shard of [FIRST, SECOND]) expect(await site.events(shard)).toEqual([]);
  expect(await site.feed(OTHER_FEED)).toMatchObject({ phase: 'live' });
  return site;
}

/** A run of the second shard; the next order is placed just before it deletes the last one. */
function pollOverlapping(site: Site, change: () => void) {
  const store = intercept(site.store, async ({ name, proceed }) => {
    if (name === 'deleteOrders') {
      change();
      await site.poll(FIRST);
    }
    return proceed();
  });
  return site.poll(SECOND, { store });
}

const ordersOf = (site: Site) => site.store.loadOrders(partitionsOf(0, 1));

describe('two shards', () => {
  it('carry out many orders over several runs, if one run has no time for all of them', async () => {
    const site = new Site();
    const ids = idsIn(SECOND).slice(0, 40);
    for (const id of ids) site.project(id, 1);
    for (const shard of [FIRST, SECOND]) await site.poll(shard);
    for (const id of ids) site.project(id, 20, deletedAt(20));
    await site.poll(FIRST);
    expect(await ordersOf(site)).toHaveLength(40);
    for (let run = 0; run < 2; run += 1) {
      let commits = 0;
      const store = intercept(site.store, ({ name, proceed }) => {
        commits += name === 'commitFeed' ? 1 : 0;
        return commits > 60 ? Promise.reject(new Error('killed')) : proceed();
      });
      await site.poll(SECOND, { store }).catch(() => undefined);
      site.clock.advance(60_000);
    }
    const feeds = await site.store.loadFeeds(partitionsOf(1, 2));
    expect(feeds.filter(({ parked }) => parked === undefined)).toEqual([]);
  });

  it('keep the lists of a new project whose orders overlap, however long its runs are apart', async () => {
    const site = await shardedSite();
    const [, created = ''] = idsIn(SECOND).slice(1);
    const told = () => site.takeEvents().map(({ type }) => type);
    site.project(created, 20);
    site.floorplan(created, 'f', 20);
    await site.poll(FIRST);
    await pollOverlapping(site, () => {
      site.project(created, 40, deletedAt(40));
    });
    expect(told()).toContain('floorplan.created');
    site.clock.advance(15 * 60_000);
    site.floorplan(created, 'f', 30, { name: 'changed just before its project was deleted' });
    await pollOverlapping(site, () => {
      site.project(created, 50, { ...deletedAt(40), name: 'renamed' });
    });
    expect(told()).toContain('floorplan.updated');
    site.clock.advance(15 * 60_000);
    await site.poll(SECOND);
    expect(told()).toEqual([]);
  });

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

  it('leave no order of a project for the shard itself, nor one that says nothing new', async () => {
    const site = await shardedSite();
    site.project(OWN, 20);
    await site.poll(FIRST);
    expect(await ordersOf(site)).toEqual([]);
    site.project(OTHER, 21);
    await site.poll(FIRST);
    expect(await ordersOf(site)).toMatchObject([{ projectId: OTHER }]);
    await site.poll(SECOND);
    // It is shown again.
    await site.poll({ ...FIRST, paging: { perPage: 9, lookbackMs: 60_000 } });
    expect(await ordersOf(site)).toEqual([]);
  });

  it.each(['20.000000Z', '20.123450Z', '20Z', '20.000+00:00'])(
    'repeat no order of a project whose updated_at is not in its shortest form: %s',
    async (end) => {
      const site = await shardedSite();
      site.project(OTHER, 20, { updated_at: `2026-03-02T08:00:${end}` });
      await site.poll(FIRST);
      await site.poll(SECOND);
      await site.poll({ ...FIRST, paging: { perPage: 9, lookbackMs: 60_000 } });
      expect(await ordersOf(site)).toEqual([]);
    },
  );
});

describe('a project whose lists belong to another shard', () => {
  it('is created if it is restored after its state has expired, and its lists go on', async () => {
    const site = await shardedSite();
    site.project(OTHER, 20, deletedAt(20));
    for (const shard of [FIRST, SECOND]) await site.poll(shard);
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: 'project-deleted' });
    site.takeEvents();
    site.clock.advance(401 * 86_400_000);
    site.store.expire(site.clock.now());
    site.project(OTHER, 401 * 86_400);
    expect(await site.events(FIRST)).toEqual([`project.created ${OTHER}`]);
    expect(await site.events(SECOND)).toEqual([]);
    site.floorplan(OTHER, 'f', 402 * 86_400);
    expect(await site.events(SECOND)).toEqual(['floorplan.updated f']);
  });

  it('is published in full if it is new', async () => {
    const site = new Site();
    site.project(OWN, 1);
    for (const shard of [FIRST, SECOND]) await site.poll(shard);
    site.project(OTHER, 20);
    site.floorplan(OTHER, 'f', 2);
    expect(await site.events(FIRST)).toEqual([`project.created ${OTHER}`]);
    expect(await site.events(SECOND)).toEqual(['floorplan.created f']);
  });

  it('has its baseline, even if the order is carried out after that of the projects', async () => {
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

  it('has its content told if it is deleted before its order is carried out', async () => {
    const site = await shardedSite();
    site.project(NEW, 20);
    site.floorplan(NEW, 'n', 20);
    await site.poll(FIRST);
    site.project(NEW, 21, deletedAt(21));
    await site.poll(FIRST);
    await site.poll(SECOND);
    expect(site.takeEvents().map(({ type }) => type)).toContain('floorplan.created');
  });

  it('is parked and polled once more when it is deleted, and goes on when it is restored', async () => {
    const site = await shardedSite();
    site.floorplan(OTHER, 'last', 19);
    site.project(OTHER, 20, deletedAt(20));
    await site.poll(FIRST);
    expect(await site.poll(SECOND)).toMatchObject({ parked: 2, polled: 2 });
    expect(site.takeEvents().map(({ type }) => type)).toEqual([
      'project.deleted',
      'floorplan.created',
    ]);
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: 'project-deleted' });
    site.project(OTHER, 30);
    site.floorplan(OTHER, 'next', 30);
    await site.poll(FIRST);
    expect(await site.poll(SECOND)).toMatchObject({ parked: 0, polled: 2 });
    expect(await site.feed(OTHER_FEED)).not.toHaveProperty('parked');
  });

  it('has the lists that config adds in their baseline, whichever shard knows of them first', async () => {
    const site = await shardedSite();
    const resource = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };
    const catalog = makeCatalog({ additionalResources: [resource] });
    for (const id of [OWN, OTHER]) site.api.put(`/projects/${id}/tasks`, entityAt('t', 1));
    site.project(OTHER, 20);
    await site.events(FIRST);
    for (const shard of [SECOND, FIRST]) {
      expect(await site.events({ ...shard, catalog })).toEqual([]);
    }
    site.api.put(`/projects/${OTHER}/tasks`, entityAt('t', 30));
    expect(await site.events({ ...SECOND, catalog })).toEqual(['task.updated t']);
  });

  it('has its order carried out again after a run that died before it was deleted', async () => {
    const site = await shardedSite();
    site.project(NEW, 20);
    site.project(OTHER, 21, deletedAt(21));
    await site.poll(FIRST);
    const store = intercept(site.store, ({ name, proceed }) =>
      name === 'deleteOrders' ? Promise.reject(new Error('died')) : proceed(),
    );
    await expect(site.poll(SECOND, { store })).rejects.toThrow('died');
    await site.poll(SECOND);
    expect(await ordersOf(site)).toEqual([]);
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: 'project-deleted' });
  });

  it('keeps its lists if each of its orders is placed just before the last one is deleted', async () => {
    const site = await shardedSite();
    const pollBoth = (change: () => void): Promise<unknown> => {
      const store = replaceCall(site.store, 'deleteOrders', async ({ proceed }) => {
        change();
        await site.poll(FIRST);
        return proceed();
      });
      return site.poll(SECOND, { store });
    };
    site.project(NEW, 20);
    site.floorplan(NEW, 'f', 20);
    await site.poll(FIRST);
    await pollBoth(() => {
      site.project(NEW, 30, deletedAt(30));
    });
    site.floorplan(NEW, 'f', 25, { name: 'before it was deleted' });
    await pollBoth(() => {
      site.project(NEW, 40);
    });
    site.takeEvents();
    site.floorplan(NEW, 'f', 50, { name: 'after it was restored' });
    await site.poll(SECOND);
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.updated' }]);
    expect(await ordersOf(site)).toEqual([]);
  });
});

describe('the lists of a shard without the projects', () => {
  /** Fails the next two requests for each list that the second shard may request. */
  function failAll({ api }: Site): void {
    const fail = () => Promise.reject(serviceFailure);
    for (const list of [PROJECTS, floorplansOf(OTHER), checklistsOf(OTHER)]) {
      api.answerNext(list, fail, fail);
    }
  }

  it('that are all refused show no outage while the projects are shown', async () => {
    const site = await shardedSite();
    for (const list of [floorplansOf(OTHER), checklistsOf(OTHER)]) site.api.refuse(list);
    expect(await site.poll(SECOND)).not.toHaveProperty('outageSince');
    expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: 'refused' });
  });

  it('that all fail show an outage if the projects fail, too', async () => {
    const site = await shardedSite();
    failAll(site);
    expect(await site.poll(SECOND)).toHaveProperty('outageSince');
  });

  it('that are all paused in an outage have no list requested, the paused list of projects included', async () => {
    const site = await shardedSite();
    failAll(site);
    expect(await site.poll(SECOND)).toHaveProperty('outageSince');
    await change(site, { command: 'pause', scope: {} });
    site.clock.advance(60_000);
    expect(await site.paths(SECOND)).toEqual([]);
    expect(await site.poll(SECOND)).not.toHaveProperty('outageSince');
  });
});

it('The first run of a shard carries out orders that an eventually consistent read does not show', async () => {
  const site = await shardedSite();
  site.project(OTHER, 20, deletedAt(20));
  await site.poll(FIRST);
  const store = intercept(site.store, async ({ name, proceed }) => {
    const result = await proceed();
    return name === 'loadShard' ? { ...(result as object), orders: [] } : result;
  });
  await site.poll({}, { store });
  expect(await ordersOf(site)).toEqual([]);
  expect(await site.feed(OTHER_FEED)).toMatchObject({ parked: 'project-deleted' });
});

describe('an outage of the service', () => {
  it('that outlasts a change of the number of shards delays no list longer than itself', async () => {
    const site = new Site();
    for (const id of [OWN, OTHER]) site.project(id, 1);
    await site.poll();
    site.clock.advance(60_000);
    let isDown = (path: string): boolean => path === floorplansOf(OTHER);
    const api: ServiceApi = {
      async fetchPage(request, signal) {
        const page = await site.api.fetchPage(request, signal);
        if (isDown(request.path)) throw serviceFailure;
        return page;
      },
    };
    const poll = async (place: Partial<RunOptions>, store: StateStore = site.store) => {
      site.api.takePaths();
      await site.poll(place, { api, store }).catch(() => undefined);
      site.clock.advance(60_000);
      return site.api.takePaths();
    };
    const failing = intercept(site.store, ({ name, proceed }) =>
      name === 'acquireLease' ? Promise.reject(new Error('killed')) : proceed(),
    );
    // The list backs off on its own, then everything fails.
    for (let minute = 0; minute < 16; minute += 1) await poll({});
    isDown = () => true;
    for (let minute = 0; minute < 2; minute += 1) await poll({});
    // Twice, and no shard has a run in between.
    await poll({ shard: 0, shardCount: 4, partitions: partitionsOf(0, 4) }, failing);
    expect(await site.store.loadLayout()).toMatchObject({ generation: 1, shardCount: 4 });
    for (let minute = 0; minute < 2; minute += 1) await poll(FIRST);
    expect(await site.store.loadLayout()).toMatchObject({ generation: 2, shardCount: 2 });
    expect((await site.feed(OTHER_FEED))?.notBefore).toBeGreaterThan(site.clock.now() + 120_000);
    isDown = () => false;
    expect(await poll(SECOND)).toContain(floorplansOf(OTHER));
  });

  it('that not every shard has noticed delays no list either if their number changes as it ends', async () => {
    const site = await shardedSite();
    let isDown = (path: string): boolean => path === floorplansOf(OWN);
    const api: ServiceApi = {
      async fetchPage(request, signal) {
        const page = await site.api.fetchPage(request, signal);
        if (isDown(request.path)) throw serviceFailure;
        return page;
      },
    };
    const minute = async (...places: Partial<RunOptions>[]) => {
      for (const place of places) await site.poll(place, { api });
      site.clock.advance(60_000);
    };
    // The list backs off on its own, then everything fails while the other shard has no run.
    for (let n = 0; n < 16; n += 1) await minute(FIRST, SECOND);
    isDown = () => true;
    for (let n = 0; n < 3; n += 1) await minute(FIRST);
    expect((await site.feed(floorplansOf(OWN).slice(1)))?.notBefore).toBeGreaterThan(
      site.clock.now() + 120_000,
    );
    isDown = () => false;
    site.api.takePaths();
    await minute({});
    expect(site.api.takePaths()).toContain(floorplansOf(OWN));
  });
});

it('what each shard has spent of the request limit, and a refused token, are known to the next number of shards', async () => {
  const site = await shardedSite();
  const told: string[] = [];
  const apiOf = (note: string): ServiceApi => ({
    fetchPage: (request, signal) => site.api.fetchPage(request, signal),
    handOver: () => note,
    resume: (text) => told.push(text),
  });
  await site.poll(FIRST, { api: apiOf('first') });
  await site.poll(SECOND, { api: apiOf('second') });
  told.length = 0;
  await site.poll({}, { api: apiOf('one') });
  expect(told).toEqual(['first', 'second']);
});
