import { describe, expect, it } from 'vitest';
import { FeedRefused, RefreshTokenRejected, ServiceError } from '../../../functions/core/errors.ts';
import type { Known } from '../../../functions/core/known.ts';
import { makeCatalogue } from '../../../functions/core/resources.ts';
import { intercept } from '../../support/intercept.ts';
import { at, type Answer } from '../../support/list-service.ts';
import {
  checklistsOf,
  deletedAt,
  entity,
  floorplansOf,
  PROJECTS,
  Site,
} from '../../support/site.ts';

const HOUR = 3_600_000;

/** A site with one project whose baseline is done. */
async function liveSite(): Promise<Site> {
  const site = new Site();
  site.project('p', 1);
  site.floorplan('p', 'f', 2);
  site.floorplan('p', 'gone', 2, deletedAt(2));
  await site.poll();
  return site;
}

describe('the first run', () => {
  it('learns what exists without raising events', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplan('p', 'f', 2);
    site.checklist('p', 'c', 3, [entity('i', 3)]);
    const summary = await site.poll();
    expect(site.takeEvents()).toEqual([]);
    expect(summary).toMatchObject({ feeds: 3, polled: 3, pages: 3, entities: 3 });
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      phase: 'live',
      cursor: at(2),
    });
    expect(await site.events()).toEqual([]);
  });

  it('raises created for everything when config says so', async () => {
    const site = new Site();
    site.project('p', 1);
    site.floorplan('p', 'f', 2);
    expect(await site.events({ firstRun: 'emit' })).toEqual([
      'project.created /projects/p',
      'floorplan.created /projects/p/floorplans/f',
    ]);
  });

  it('goes on in the next run when a baseline is longer than a run', async () => {
    const site = new Site();
    site.project('p', 1);
    for (let n = 2; n < 10; n += 1) site.floorplan('p', `f${n}`, n);
    const summary = await stopAfter(site, floorplansOf('p'), 2);
    expect(summary).toMatchObject({ stoppedEarly: true });
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      phase: 'baseline',
      cursor: at(5),
    });
    expect(await site.events()).toEqual([]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      phase: 'live',
      cursor: at(9),
    });
  });
});

describe('a run', () => {
  it('raises created, updated, deleted and restored, with what changed', async () => {
    const site = await liveSite();
    site.project('p', 10, { name: 'Tower' });
    site.floorplan('p', 'new', 11);
    site.floorplan('p', 'gone', 12);
    site.floorplan('p', 'f', 13, deletedAt(13));
    const summary = await site.poll();
    const events = site.takeEvents();
    expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      'project.updated /projects/p',
      'floorplan.created /projects/p/floorplans/new',
      'floorplan.restored /projects/p/floorplans/gone',
      'floorplan.deleted /projects/p/floorplans/f',
    ]);
    expect(events[0]).toMatchObject({
      accountid: '7',
      projectid: 'p',
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
    expect(await site.events()).toEqual([
      'project.created /projects/q',
      'floorplan.created /projects/q/floorplans/old',
      'template_checklist.created /projects/q/template_checklists/c',
    ]);
  });

  it('reads before its cursor and finds what was committed late', async () => {
    const site = await liveSite();
    site.floorplan('p', 'late', 1);
    expect(await site.events({ walk: { perPage: 2, overlapMs: 5000 } })).toEqual([
      'floorplan.created /projects/p/floorplans/late',
    ]);
    expect(await site.events({ walk: { perPage: 2, overlapMs: 5000 } })).toEqual([]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(2) });
  });

  it('does not take an older answer for a change', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 20, { name: 'new' });
    await site.poll();
    site.takeEvents();
    site.floorplan('p', 'f', 2, { name: 'old' });
    expect(await site.events({ walk: { perPage: 2, overlapMs: 60_000 } })).toEqual([]);
  });

  it('takes the later of two versions of an entity on one page', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), (page) => ({
      ...page,
      entities: [entity('f', 30, { name: 'B' }), entity('f', 29, { name: 'A' })] as never,
      lastSyncedAt: at(30),
    }));
    await site.poll();
    expect(site.takeEvents()).toMatchObject([
      { sequence: at(30), data: { object: { name: 'B' } } },
    ]);
  });

  it('writes nothing when nothing happened', async () => {
    const site = await liveSite();
    const before = await site.feed('projects/p/floorplans');
    await site.poll();
    expect(await site.feed('projects/p/floorplans')).toEqual(before);
  });
});

describe('nested entities', () => {
  const items = (...list: [string, number, object?][]) =>
    list.map(([id, second, fields]) => entity(id, second, { ...fields }));

  it('are events of their own, and the parent leaves them out', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10], ['j', 10]));
    await site.poll();
    const events = site.takeEvents();
    expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      'template_checklist.created /projects/p/template_checklists/c',
      'template_check_item.created /projects/p/template_checklists/c/template_check_items/i',
      'template_check_item.created /projects/p/template_checklists/c/template_check_items/j',
    ]);
    expect(events[0]?.data.object).not.toHaveProperty('template_check_items');
  });

  it('are updated, deleted, deleted by missing, and restored when they come back', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10], ['j', 10], ['k', 10]));
    await site.poll();
    site.takeEvents();
    site.checklist('p', 'c', 20, items(['i', 20, { name: 'I' }], ['j', 20, deletedAt(20)]));
    expect((await site.events()).map((event) => event.replace(/ .*\//, ' '))).toEqual([
      'template_checklist.updated c',
      'template_check_item.updated i',
      'template_check_item.deleted j',
      'template_check_item.deleted k',
    ]);
    site.checklist(
      'p',
      'c',
      30,
      items(['i', 20, { name: 'I' }], ['j', 20, deletedAt(20)], ['k', 10]),
    );
    expect((await site.events()).map((event) => event.replace(/ .*\//, ' '))).toEqual([
      'template_checklist.updated c',
      'template_check_item.restored k',
    ]);
  });

  it('are looked at even if their parent was not touched', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10]));
    await site.poll();
    site.takeEvents();
    site.checklist('p', 'c', 10, items(['i', 12, { name: 'I' }]));
    const overlap = { walk: { perPage: 2, overlapMs: 5000 } };
    expect(await site.events(overlap)).toEqual([
      'template_check_item.updated /projects/p/template_checklists/c/template_check_items/i',
    ]);
    expect(await site.events(overlap)).toEqual([]);
  });

  it('cost no look into the store when they are shown again, in whatever order', async () => {
    const site = await liveSite();
    const broken = [{ id: 'not/usable' }, { id: 'neither' }];
    site.checklist('p', 'c', 10, [...items(['i', 10], ['j', 10]), ...broken]);
    await site.poll();
    site.checklist('p', 'c', 10, [...items(['j', 10], ['i', 10]), ...broken.toReversed()]);
    const looks: unknown[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      if (name.startsWith('loadKnown') && String(parameters[1]).includes('check_item')) {
        looks.push(parameters);
      }
      return proceed();
    });
    await site.poll({ walk: { perPage: 2, overlapMs: 60_000 } }, { store });
    expect(looks).toEqual([]);
  });

  it('are looked at when one that cannot be read is replaced by another', async () => {
    const site = await liveSite();
    for (const id of ['not/usable', 'nor/this']) {
      site.checklist('p', 'c', 10, [{ id }]);
      await site.poll({ walk: { perPage: 2, overlapMs: 60_000 } });
    }
    expect(site.quarantine.items).toHaveLength(2);
  });

  it('are not deleted because an older answer, or one without the list, lacks them', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10]));
    await site.poll();
    site.takeEvents();
    const overlap = { walk: { perPage: 2, overlapMs: 60_000 } };
    site.checklist('p', 'c', 9, []);
    expect(await site.events(overlap)).toEqual([]);
    site.api.put(checklistsOf('p'), entity('c', 11));
    expect(await site.events(overlap)).toEqual([
      'template_checklist.updated /projects/p/template_checklists/c',
    ]);
  });

  it('are not deleted because the list holds something that cannot be read', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10]));
    await site.poll();
    site.takeEvents();
    site.checklist('p', 'c', 20, [{ id: 'i', updated_at: 'now' }]);
    const summary = await site.poll();
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['template_checklist.updated']);
    expect(summary.quarantined).toBe(1);
    expect(site.quarantine.items).toMatchObject([
      { feed: 'projects/p/template_checklists', value: { id: 'i', updated_at: 'now' } },
    ]);
  });

  it('that are no array go to the quarantine, and the parent goes on', async () => {
    const site = await liveSite();
    site.api.put(checklistsOf('p'), entity('c', 10, { template_check_items: 'none' }));
    expect(await site.events()).toEqual([
      'template_checklist.created /projects/p/template_checklists/c',
    ]);
    expect(site.quarantine.items[0]?.reason).toBe(
      'template_check_items of /projects/p/template_checklists/c: must be an array, got "none"',
    );
  });

  it('are the current sheet of a floorplan; one that is replaced was not deleted', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { current_sheet: entity('s1', 10) });
    expect(await site.events()).toEqual([
      'floorplan.updated /projects/p/floorplans/f',
      'sheet.created /projects/p/floorplans/f/sheets/s1',
    ]);
    site.floorplan('p', 'f', 15, { current_sheet: entity('s1', 15, { name: 'turned' }) });
    expect(await site.events()).toEqual([
      'floorplan.updated /projects/p/floorplans/f',
      'sheet.updated /projects/p/floorplans/f/sheets/s1',
    ]);
    site.floorplan('p', 'f', 20, { current_sheet: entity('s2', 20) });
    expect(await site.events()).toEqual([
      'floorplan.updated /projects/p/floorplans/f',
      'sheet.created /projects/p/floorplans/f/sheets/s2',
    ]);
    site.floorplan('p', 'f', 30, { current_sheet: null });
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
  });
});

describe('nested entities of a parent that was not saved', () => {
  it('are deleted when they are gone by the time it is read again', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entity('i', 10), entity('k', 10)]);
    const store = intercept(site.store, ({ name, parameters, proceed }) =>
      name === 'saveKnown' && (parameters[1] as Known[])[0]?.key === 'template_checklist#c'
        ? Promise.reject(new Error('throttled'))
        : proceed(),
    );
    await expect(site.poll({}, { store })).rejects.toThrow('throttled');
    expect(site.takeEvents()).toHaveLength(3);
    site.checklist('p', 'c', 20, [entity('i', 10)]);
    expect((await site.events()).map((event) => event.replace(/ .*\//, ' '))).toEqual([
      'template_checklist.created c',
      'template_check_item.deleted k',
    ]);
  });
});

describe('a feed that fails', () => {
  const failure = () =>
    Promise.reject(new ServiceError('GET: 500', { status: 500, hint: 'Wait.' }));

  it('backs off alone, keeps its cursor, and catches up', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.checklist('p', 'c', 10, []);
    site.api.answerNext(floorplansOf('p'), failure);
    const summary = await site.poll();
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['template_checklist.created']);
    expect(summary).toMatchObject({ failing: 1, polled: 3 });
    expect(site.telemetry.counted('FeedsFailing')).toBe(1);
    expect(site.telemetry.logs.find(({ level }) => level === 'error')?.fields).toMatchObject({
      feed: 'projects/p/floorplans',
      cursor: at(2),
    });
    expect(await site.events()).toEqual([]);
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ failures: 0, notBefore: 0 });
  });

  it('in the middle of its list keeps the pages before', async () => {
    const site = await liveSite();
    for (let n = 10; n < 14; n += 1) site.floorplan('p', `f${n}`, n);
    site.api.answerNext(floorplansOf('p'), (page) => page, failure);
    expect(await site.events()).toHaveLength(2);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(11), failures: 1 });
    site.clock.advance(60_000);
    expect(await site.events()).toEqual([
      'floorplan.created /projects/p/floorplans/f12',
      'floorplan.created /projects/p/floorplans/f13',
    ]);
  });

  it('behind the pages of its overlap waits longer each time all the same', async () => {
    const site = await liveSite();
    for (let n = 3; n < 6; n += 1) site.floorplan('p', `f${n}`, n);
    await site.poll();
    const overlap = { walk: { perPage: 2, overlapMs: 60_000 } };
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      site.api.answerNext(floorplansOf('p'), (page) => page, failure);
      await site.poll(overlap);
      const { notBefore = 0 } = (await site.feed('projects/p/floorplans')) ?? {};
      waits.push((notBefore - site.clock.now()) / 60_000);
      site.clock.advance(notBefore - site.clock.now());
    }
    expect(waits).toEqual([1, 2, 4, 8]);
  });

  it('while it is parked is seen to fail', async () => {
    const site = await liveSite();
    site.project('p', 10, deletedAt(10));
    await site.poll();
    site.clock.advance(HOUR);
    site.api.answerNext(floorplansOf('p'), failure);
    expect(await site.poll()).toMatchObject({ failing: 1, parked: 0 });
    expect(site.telemetry.counted('FeedsFailing')).toBe(1);
  });

  it('by breaking the protocol is counted as that, too', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), (page) => ({ ...page, hasMore: true }));
    expect(await site.poll()).toMatchObject({ failing: 1 });
    expect(site.telemetry.counted('ProtocolErrors')).toBe(1);
  });

  it('is not polled twice because its project is read again', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.api.takePaths();
    await site.poll({ walk: { perPage: 2, overlapMs: 60_000 } });
    expect(site.api.takePaths().filter((path) => path === floorplansOf('p'))).toHaveLength(1);
  });

  it('by refusal is parked, asked again every hour, and goes on where it stopped', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    expect(await site.poll()).toMatchObject({ parked: 1, failing: 0 });
    expect(site.telemetry.counted('FeedsParked')).toBe(1);
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).not.toContain(floorplansOf('p'));
    site.clock.advance(HOUR);
    expect(await site.events()).toContain('floorplan.updated /projects/p/floorplans/f');
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('by refusal is asked again at once when its project changed', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), () =>
      Promise.reject(new FeedRefused('403', { status: 403, hint: 'Ask.' })),
    );
    await site.poll();
    site.project('p', 10, { name: 'shared again' });
    site.floorplan('p', 'f', 10, { name: 'F' });
    expect(await site.events()).toEqual([
      'project.updated /projects/p',
      'floorplan.updated /projects/p/floorplans/f',
    ]);
  });

  it('by refusal is not asked again because its project is merely read again', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    await site.poll();
    site.api.takePaths();
    await site.poll({ walk: { perPage: 2, overlapMs: 60_000 } });
    expect(site.api.takePaths()).not.toContain(floorplansOf('p'));
  });

  it('is not parked when it is the list of projects', async () => {
    const site = await liveSite();
    site.api.refuse(PROJECTS);
    expect(await site.poll()).toMatchObject({ parked: 0, failing: 1 });
  });

  it('for want of an access token ends the run', async () => {
    const site = await liveSite();
    const rejected = new RefreshTokenRejected('refused', { hint: 'Put a valid one.' });
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(rejected));
    await expect(site.poll()).rejects.toBe(rejected);
    // Also when it comes only after the run was told to stop.
    site.api.answerNext(floorplansOf('p'), async () => {
      site.clock.advance(45_000);
      await new Promise(setImmediate);
      return Promise.reject(rejected);
    });
    await expect(site.poll()).rejects.toBe(rejected);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ failures: 0, cursor: at(2) });
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
  });
});

describe('a project that goes', () => {
  it('has its lists looked at once more, then parked without deletes, and resumed on restore', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'last words' });
    site.project('p', 11, deletedAt(11));
    expect((await site.events()).sort()).toEqual([
      'floorplan.updated /projects/p/floorplans/f',
      'project.deleted /projects/p',
    ]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ parked: 'project-deleted' });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).toEqual([PROJECTS]);

    site.project('p', 20);
    site.floorplan('p', 'f', 21, { name: 'back' });
    expect(await site.events()).toEqual([
      'project.restored /projects/p',
      'floorplan.updated /projects/p/floorplans/f',
    ]);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('stays gone when an older answer shows it alive', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.poll();
    site.project('p', 5);
    await site.poll({ walk: { perPage: 2, overlapMs: 60_000 } });
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ parked: 'project-deleted' });
  });

  it('is looked at rarely, so that a change of its lists is found all the same', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.poll();
    site.takeEvents();
    site.floorplan('p', 'f', 12, { name: 'after the end' });
    expect(await site.events()).toEqual([]);
    site.clock.advance(HOUR);
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
  });

  it('and comes back between two polls keeps its lists going', async () => {
    const site = await liveSite();
    site.project('p', 12);
    expect(await site.events()).toEqual(['project.updated /projects/p']);
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('before it was ever seen gets no lists until it is restored', async () => {
    const site = await liveSite();
    site.project('q', 10, deletedAt(10));
    site.floorplan('q', 'f', 9);
    expect(await site.events()).toEqual(['project.deleted /projects/q']);
    expect(await site.feed('projects/q/floorplans')).toBeUndefined();
    site.project('q', 20);
    expect(await site.events()).toEqual([
      'project.restored /projects/q',
      'floorplan.created /projects/q/floorplans/f',
    ]);
  });
});

describe('what cannot be worked with', () => {
  it('goes whole to the quarantine, once, and the rest of the page goes on', async () => {
    const site = await liveSite();
    const broken = { updated_at: at(10), name: 'no id' };
    site.api.put(floorplansOf('p'), broken);
    site.floorplan('p', 'f', 11, { name: 'F' });
    const overlap = { walk: { perPage: 2, overlapMs: 60_000 } };
    expect(await site.events(overlap)).toEqual(['floorplan.updated /projects/p/floorplans/f']);
    await site.poll(overlap);
    expect(site.quarantine.items).toEqual([
      {
        feed: 'projects/p/floorplans',
        cursor: '2026-03-02T07:59:02.000Z',
        reason: expect.stringContaining('id must be') as string,
        value: broken,
      },
    ]);
  });

  it('is set aside once, though its other fields differ on every read', async () => {
    const site = await liveSite();
    const overlap = { walk: { perPage: 2, overlapMs: 60_000 } };
    for (const signature of ['a', 'b', 'c']) {
      site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: at(10), signature });
      await site.poll(overlap);
    }
    expect(site.quarantine.items).toHaveLength(1);
  });

  it('is set aside for each parent it was found in', async () => {
    const site = await liveSite();
    for (const id of ['c', 'd']) {
      site.api.put(checklistsOf('p'), entity(id, 10, { template_check_items: null }));
    }
    await site.poll();
    expect(site.quarantine.items.map(({ reason }) => reason)).toEqual([
      'template_check_items of /projects/p/template_checklists/c: must be an array, got null',
      'template_check_items of /projects/p/template_checklists/d: must be an array, got null',
    ]);
  });

  it('does not keep the cursor back when there is nothing else on a page', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: at(10) });
    await site.poll();
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(10) });
  });

  it('is an event that the topic refuses for good: the event is kept, the page is committed', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { huge: 'x'.repeat(300_000) });
    const summary = await site.poll();
    expect(summary).toMatchObject({ quarantined: 1, events: { updated: 0 } });
    expect(site.telemetry.counted('EventsPublished')).toBe(0);
    expect(site.quarantine.items).toMatchObject([
      { feed: 'projects/p/floorplans', value: { type: 'floorplan.updated', sequence: at(10) } },
    ]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(10) });
  });
});

describe('config that grows by a resource', () => {
  const catalogue = makeCatalogue({
    furtherResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' }],
  });

  it('starts its lists as the first deployment did, for the projects that are there', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    expect(await site.events({ catalogue })).toEqual([]);
    site.api.put('/projects/p/tasks', entity('t', 5));
    site.project('q', 10);
    site.api.put('/projects/q/tasks', entity('u', 1));
    expect(await site.events({ catalogue })).toEqual([
      'project.created /projects/q',
      'task.updated /projects/p/tasks/t',
      'task.created /projects/q/tasks/u',
    ]);
  });

  it('starts anew when the path of a list changes: another list, another baseline', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    const moved = makeCatalogue({
      furtherResources: [{ name: 'tasks', entity: 'task', path: '/projects/{project_id}/jobs' }],
    });
    site.api.put('/projects/p/jobs', entity('t', 1), entity('u', 2));
    site.project('p', 20, { name: 'touched' });
    expect(await site.events({ catalogue: moved })).toEqual(['project.updated /projects/p']);
    site.api.takePaths();
    await site.poll({ catalogue: moved });
    expect(site.api.takePaths().filter((path) => path.endsWith('jobs'))).toHaveLength(1);
  });

  it('starts the lists of a deleted project parked', async () => {
    const site = await liveSite();
    site.project('p', 10, deletedAt(10));
    await site.poll();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    expect(await site.feed('projects/p/tasks')).toMatchObject({ parked: 'project-deleted' });
  });

  it('takes a list up again that was left out while its project was restored', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    site.project('p', 10, deletedAt(10));
    await site.poll({ catalogue });
    site.project('p', 20);
    await site.poll();
    await site.poll({ catalogue });
    expect(await site.feed('projects/p/tasks')).not.toHaveProperty('parked');
  });

  it('and shrinks again leaves the lists of that resource alone', async () => {
    const site = await liveSite();
    site.api.put('/projects/p/tasks', entity('t', 1));
    await site.poll({ catalogue });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).not.toContain('/projects/p/tasks');
  });
});

describe('the time of a run', () => {
  it('ends it by itself between two pages, and the next run goes on there', async () => {
    const site = await liveSite();
    for (let n = 10; n < 16; n += 1) site.floorplan('p', `f${n}`, n);
    expect(await stopAfter(site, floorplansOf('p'), 1)).toMatchObject({ stoppedEarly: true });
    expect(site.takeEvents()).toHaveLength(2);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(11), failures: 0 });
    expect(await site.events()).toHaveLength(4);
  });

  it('keeps it from beginning feeds it has no time for', async () => {
    const site = await liveSite();
    const summary = await stopAfter(site, PROJECTS, 0, { concurrency: 1 });
    expect(summary).toMatchObject({ stoppedEarly: true, polled: 1 });
    site.project('p', 10);
    site.checklist('p', 'c', 10, []);
    const slow = (type: string) =>
      intercept(site.topic, ({ parameters, proceed }) => {
        const [events] = parameters as [{ type: string }[]];
        if (events[0]?.type === type) site.clock.advance(45_000);
        return proceed();
      });
    const early = await site.poll({ concurrency: 1 }, { topic: slow('project.updated') });
    expect(early).toMatchObject({ stoppedEarly: true, polled: 1 });
    const last = await site.poll({ concurrency: 1 }, { topic: slow('template_checklist.created') });
    expect(last).toMatchObject({ stoppedEarly: false, polled: 3 });
  });

  it('leaves no timer and no request behind', async () => {
    const site = await liveSite();
    expect(site.clock.sleeping).toBe(0);
    for (let n = 10; n < 14; n += 1) site.floorplan('p', `f${n}`, n);
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    site.api.answerNext(
      floorplansOf('p'),
      (page) => page,
      (_page, signal) => {
        asked.resolve(signal);
        return new Promise(() => undefined);
      },
    );
    const topic = { publish: () => Promise.reject(new Error('broken')) };
    await expect(site.poll({}, { topic })).rejects.toThrow('broken');
    expect((await asked.promise)?.aborted).toBe(true);
    expect(site.clock.sleeping).toBe(0);
  });
});

/** A run whose time is up when the list is asked for a page after so many. */
async function stopAfter(site: Site, path: string, pages: number, options = {}) {
  const answers = Array.from({ length: pages }, (): Answer => (page) => page);
  site.api.answerNext(path, ...answers, (_page, signal) => {
    const given = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    site.clock.advance(45_000);
    return given;
  });
  return site.poll(options);
}
