import { describe, expect, it } from 'vitest';
import type { Feed } from '../../functions/core/model/feed.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
  Site,
  type SiteOptions,
} from '../support/site.ts';

const HOUR = 3_600_000;

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
    const site = await deletedSite({ lookbackMs: 60_000 });
    site.project('p', 5);
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ parked: {} });
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

  it('has a refused list polled once more', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    expect(await site.poll()).toMatchObject({ waiting: 1 });
    site.project('p', 11, deletedAt(11));
    expect(await site.poll()).toMatchObject({ waiting: 0, polled: 3 });
    expect(await site.feed(FEED)).toMatchObject({ parked: {} });
  });

  it('and restored between two polls keeps its lists live', async () => {
    const site = await liveSite();
    site.project('p', 12);
    expect(await site.events()).toEqual(['project.updated p']);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('and restored after a run that parked its lists has died keeps them live', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    const store = replaceCall(site.store, 'saveStates', () => Promise.reject(new Error('died')));
    await expect(site.poll({}, { store })).rejects.toThrow('died');
    site.project('q', 12);
    site.project('r', 13);
    site.api.answerNext(PROJECTS, (page) => {
      site.project('p', 20);
      return page;
    });
    // The first page shows it as deleted, and the second one as restored.
    await site.poll();
    await site.poll();
    expect(await site.feed(FEED)).not.toHaveProperty('parked');
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

  it('is told in full when it is restored, however old its content is', async () => {
    let now = Date.parse(timeAt(100));
    const site = new Site({ clock: () => now });
    site.project('p', 1);
    await site.poll();
    now = Date.parse(timeAt(300));
    site.project('q', 200, deletedAt(200));
    site.floorplan('q', 'f', 9);
    expect(await site.events()).toEqual(['project.deleted q']);
    site.project('q', 210);
    expect(await site.events()).toEqual(['project.restored q', 'floorplan.created f']);
  });
});

describe('a project that was deleted before the first run', () => {
  /** A site whose first run, at second 100, finds project `q` deleted with its lists. */
  async function siteWithDeleted(options: Partial<RunOptions> = {}) {
    let now = Date.parse(timeAt(100));
    const site = new Site({ lookbackMs: 10_000, clock: () => now });
    site.project('p', 1);
    site.project('q', 5, deletedAt(5));
    site.floorplans('q', 2, 6);
    site.checklist('q', 'c', 3, [entityAt('i', 3)]);
    await site.poll(options);
    site.takeEvents();
    now = Date.parse(timeAt(300));
    return site;
  }

  it('raises no events of old content when it is restored', async () => {
    const site = await siteWithDeleted();
    site.project('q', 200);
    expect(await site.events()).toEqual(['project.restored q']);
    site.floorplan('q', 'f2', 310, { name: 'new' });
    expect(await site.events()).toEqual(['floorplan.updated f2']);
  });

  it('has all its lists in that baseline if a run that added some of them died', async () => {
    const site = await siteWithDeleted();
    site.project('q', 200);
    const store = replaceCall(site.store, 'addFeeds', async ({ parameters: [feeds] }) => {
      await site.store.addFeeds((feeds as Feed[]).slice(0, 1));
      throw new Error('died');
    });
    await expect(site.poll({}, { store })).rejects.toThrow('died');
    site.takeEvents();
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['project.restored q']);
    expect(await site.feed('projects/q/template_checklists')).toMatchObject({ phase: 'live' });
  });

  it('raises events of the content that changed since the first run', async () => {
    const site = await siteWithDeleted();
    site.project('q', 200);
    site.floorplan('q', 'f3', 150);
    site.checklist('q', 'c', 190, [entityAt('i', 3), entityAt('k', 190)]);
    expect((await site.events()).sort()).toEqual([
      'floorplan.created f3',
      'project.restored q',
      'template_check_item.created k',
      'template_checklist.created c',
    ]);
    expect(await site.feed('projects/q/floorplans')).toMatchObject({ phase: 'live' });
    expect(await site.feed('projects/q/floorplans')).not.toHaveProperty('baselineAt');
  });

  it('raises events of all content if the baseline emits', async () => {
    const site = await siteWithDeleted({ baseline: 'emit' });
    site.project('q', 200);
    expect(await site.events({ baseline: 'emit' })).toHaveLength(7);
  });
});

describe('a project that changes', () => {
  it('does not retry a failing list early', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(serviceFailure));
    await site.poll();
    site.project('p', 10, { name: 'Tower' });
    expect(await site.paths()).not.toContain(floorplansOf('p'));
  });

  it.each([
    ['moves to an account', 8, '8'],
    ['moves to an account with a name', 'eight', 'eight'],
    ['moves to an account beyond 2^53', parseJson('9007199254740993'), '9007199254740993'],
    ['no longer has an account', undefined, '7'],
    ['has null for its account', null, '7'],
  ])('and %s: %j, has its lists raise events with %j', async (_, account_id, accountid) => {
    const site = await liveSite();
    site.project('p', 10, { account_id });
    await site.catchUp();
    site.floorplan('p', 'f', 11, { name: 'F' });
    await site.poll();
    expect(site.takeEvents()).toMatchObject([{ type: 'floorplan.updated', accountid }]);
  });

  it('while its account is unknown has its lists raise events without account', async () => {
    const site = await liveSite();
    site.project('q', 10, { account_id: undefined });
    site.floorplan('q', 'f', 10);
    await site.poll();
    const events = site.takeEvents();
    expect(events.map(({ type }) => type)).toEqual(['project.created', 'floorplan.created']);
    for (const event of events) expect(event).not.toHaveProperty('accountid');
    expect(await site.feed('projects/q/floorplans')).not.toHaveProperty('accountId');
  });
});

describe('config that grows by a resource', () => {
  const catalog = makeCatalog({
    additionalResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' }],
  });

  const pollWithTasks = (site: Site) => {
    site.api.put('/projects/p/tasks', entityAt('t', 1));
    return site.poll({ catalog });
  };

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

  it('starts a new baseline when the path of a list changes', async () => {
    const site = await liveSite();
    await pollWithTasks(site);
    const moved = makeCatalog({
      additionalResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/jobs' }],
    });
    site.api.put('/projects/p/jobs', entityAt('t', 1), entityAt('u', 2));
    site.project('p', 20, { name: 'touched' });
    expect(await site.events({ catalog: moved })).toEqual(['project.updated p']);
    expect(
      (await site.paths({ catalog: moved })).filter((path) => path.endsWith('jobs')),
    ).toHaveLength(1);
  });

  it('publishes its list of a deleted project in full once that is restored', async () => {
    const site = await liveSite();
    site.project('p', 20, deletedAt(20));
    await site.poll();
    await pollWithTasks(site);
    expect(await site.feed('projects/p/tasks')).toBeUndefined();
    site.project('p', 30);
    site.takeEvents();
    const events = ['project.restored p', 'task.created t'];
    expect(await site.events({ catalog })).toEqual(events);
  });

  it('resumes a list that was left out while its project was restored', async () => {
    const site = await liveSite();
    await pollWithTasks(site);
    site.project('p', 10, deletedAt(10));
    await site.poll({ catalog });
    site.project('p', 20);
    await site.poll();
    await site.poll({ catalog });
    expect(await site.feed('projects/p/tasks')).not.toHaveProperty('parked');
  });

  it('and shrinks again does not poll the lists of that resource', async () => {
    const site = await liveSite();
    await pollWithTasks(site);
    expect(await site.paths()).not.toContain('/projects/p/tasks');
  });
});
