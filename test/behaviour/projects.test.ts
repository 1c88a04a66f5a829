import { describe, expect, it } from 'vitest';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  deletedAt,
  entityAt,
  FEED,
  liveSite,
  PROJECTS,
  Site,
  type SiteOptions,
} from '../support/site.ts';

const HOUR = 3_600_000;
/** A lookback that reaches what the tests change. */
const LOOKBACK = { lookbackMs: 60_000, clock: () => Date.parse(timeAt(20)) };

describe('a project that is deleted', () => {
  async function deletedSite(options?: SiteOptions): Promise<Site> {
    const site = await liveSite(options);
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    return site;
  }

  it('has its lists polled once more, then parked without deletes, and resumed on restore', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'last words' });
    site.project('p', 11, deletedAt(11));
    expect((await site.events()).sort()).toEqual(['floorplan.updated f', 'project.deleted p']);
    expect(await site.feed(FEED)).toMatchObject({ parked: {} });
    expect(await site.paths()).toEqual([PROJECTS]);

    site.project('p', 20);
    site.floorplan('p', 'f', 21, { name: 'back' });
    expect(await site.events()).toEqual(['project.restored p', 'floorplan.updated f']);
    expect(await site.feed(FEED)).not.toHaveProperty('parked');
  });

  it('stays deleted when an older answer shows it alive', async () => {
    const site = await deletedSite(LOOKBACK);
    site.project('p', 5);
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ parked: {} });
  });

  it('has its lists resumed where the copy of the run is older than the delete', async () => {
    const site = await liveSite();
    const before = await site.feed(FEED);
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    site.project('p', 20);
    const store = replaceCall(site.store, 'loadShard', async ({ proceed }) => {
      const feeds = (await proceed()) as readonly (typeof before)[];
      return feeds.map((feed) => (feed?.id === FEED ? before : feed));
    });
    await site.poll({}, { store });
    expect(await site.feed(FEED)).not.toHaveProperty('parked');
  });

  it('has no list written any more once the run has freed its lease', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    let [calls, isInFlight] = [0, false];
    const store = replaceCall(site.store, 'commitFeed', async ({ proceed }) => {
      calls += 1;
      if (calls === 1) throw new Error('throttled');
      if (calls > 2) return proceed();
      isInFlight = true;
      await new Promise((resolve) => setTimeout(resolve, 50));
      isInFlight = false;
      return proceed();
    });
    await expect(site.poll({}, { store })).rejects.toThrow('throttled');
    expect(isInFlight).toBe(false);
    expect(calls).toBeGreaterThan(2);
  });

  it('is polled rarely, so that changes of its lists are still found', async () => {
    const site = await deletedSite();
    site.floorplan('p', 'f', 12, { name: 'after the end' });
    expect(await site.events()).toEqual([]);
    site.clock.advance(24 * HOUR);
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('is not polled again because it changes again', async () => {
    const site = await deletedSite();
    site.project('p', 12, deletedAt(11));
    expect(await site.paths()).toEqual([PROJECTS]);
    expect(site.takeEvents()).toMatchObject([{ type: 'project.updated' }]);
  });

  it('before its first poll gets no lists until it is restored', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(5)) });
    site.project('q', 10, deletedAt(10));
    site.floorplan('q', 'f', 9);
    expect(await site.events()).toEqual(['project.deleted q']);
    expect(await site.feed('projects/q/floorplans')).toBeUndefined();
    site.project('q', 20);
    expect(await site.events()).toEqual(['project.restored q', 'floorplan.created f']);
  });
});

it('a project that was deleted before the first run is published in full when it is restored', async () => {
  let now = Date.parse(timeAt(100));
  const site = new Site({ lookbackMs: 10_000, clock: () => now });
  site.project('p', 1);
  site.project('q', 5, deletedAt(5));
  site.floorplan('q', 'f', 2);
  await site.poll();
  expect(site.takeEvents()).toEqual([]);
  now = Date.parse(timeAt(300));
  site.project('q', 200);
  expect(await site.events()).toEqual(['project.restored q', 'floorplan.created f']);
});

describe('a project that changes', () => {
  it('while its account is unknown has its lists raise events without account', async () => {
    const site = await liveSite();
    site.project('q', 10, { account_id: undefined });
    site.floorplan('q', 'f', 10);
    await site.poll();
    const events = site.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(['project.created', 'floorplan.created']);
    for (const event of events) expect(event).not.toHaveProperty('accountid');
    const feed = await site.feed('projects/q/floorplans');
    expect(feed).not.toHaveProperty('accountId');
    expect(feed).not.toHaveProperty('baselineAt');
  });

  it.each([
    ['moves to an account', 8, '8'],
    ['no longer has an account', undefined, '7'],
  ])('and %s: %j, has its lists raise events with %j', async (_, account_id, accountid) => {
    const site = await liveSite();
    site.project('p', 10, { account_id });
    await site.catchUp();
    site.floorplan('p', 'f', 11, { name: 'F' });
    await site.poll();
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.updated', accountid }]);
  });
});

describe('an older answer with a project', () => {
  it('does not change the account of its lists', async () => {
    const site = await liveSite(LOOKBACK);
    site.project('p', 10, { account_id: 8 });
    await site.catchUp();
    site.project('p', 5, { account_id: 7 });
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ accountId: '8' });
  });
});

describe('config that grows by a resource', () => {
  const catalog = makeCatalog({
    additionalResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' }],
  });

  it('starts its lists like the first deployment, for all existing projects', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entityAt('t', 1));
    expect(await site.events({ catalog })).toEqual([]);
    site.api.put('/projects/p/tasks', entityAt('t', 5));
    site.project('q', 10);
    site.api.put('/projects/q/tasks', entityAt('u', 1));
    const events = (await site.events({ catalog })).filter((event) => event !== 'task.updated t');
    expect(events).toEqual(['project.created q', 'task.created u']);
  });
});
