import { describe, expect, it } from 'vitest';
import { intercept } from '../../support/intercept.ts';
import { at } from '../../support/list-service.ts';
import {
  checklistsOf,
  deletedAt,
  entity,
  floorplansOf,
  liveSite,
  PROJECTS,
  Site,
  stopAfter,
} from '../../support/site.ts';

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
    const summary = await stopAfter(site, floorplansOf('p'), 3);
    expect(summary).toMatchObject({ stoppedEarly: true });
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      phase: 'baseline',
      cursor: at(3.999),
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
    const site = await liveSite({ overlapMs: 5000 });
    site.floorplan('p', 'late', 1);
    expect(await site.events()).toEqual(['floorplan.created /projects/p/floorplans/late']);
    expect(await site.events()).toEqual([]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: at(-3) });
  });

  it('does not take an older answer for a change', async () => {
    const site = await liveSite({ overlapMs: 60_000 });
    site.floorplan('p', 'f', 20, { name: 'new' });
    await site.poll();
    site.takeEvents();
    site.floorplan('p', 'f', 2, { name: 'old' });
    expect(await site.events()).toEqual([]);
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

describe('a huge catch-up', () => {
  it('lets other lists have their turn, and goes on where it was', async () => {
    const site = await liveSite();
    for (let n = 0; n < 90; n += 1) site.floorplan('p', `f${n}`, 100 + n);
    site.checklist('p', 'c', 100, []);
    site.api.takePaths();
    const summary = await site.poll({ concurrency: 1, random: () => 0 });
    const paths = site.api.takePaths();
    const turn = paths.indexOf(checklistsOf('p'));
    expect(paths[1]).toBe(floorplansOf('p'));
    expect(turn).toBeLessThan(25);
    expect(paths.slice(turn + 1).every((path) => path === floorplansOf('p'))).toBe(true);
    expect(site.takeEvents()).toHaveLength(91);
    expect(summary).toMatchObject({ polled: 3, stoppedEarly: false });
    expect(site.telemetry.counted('FeedsPolled')).toBe(3 + 3);
    // No page was read twice because of it.
    expect(new Set(site.api.requests.map((request) => JSON.stringify(request))).size).toBe(
      site.api.requests.length,
    );
  });

  it('goes on without a break when nobody waits', async () => {
    const site = await liveSite();
    for (let n = 0; n < 90; n += 1) site.floorplan('p', `f${n}`, 100 + n);
    await site.poll();
    expect(site.takeEvents()).toHaveLength(90);
  });
});

describe('a timestamp that more entities share than the largest page holds', () => {
  it('is stepped over, counted, and named with its list', async () => {
    const site = await liveSite({ largestPage: 2 });
    for (let n = 0; n < 4; n += 1) site.floorplan('p', `f${n}`, 50);
    site.floorplan('p', 'later', 51);
    expect(await site.events()).toContain('floorplan.created /projects/p/floorplans/later');
    expect(site.telemetry.counted('SaturatedTimestamp')).toBe(1);
    expect(site.telemetry.logs.find(({ level }) => level === 'warn')?.fields).toEqual({
      feed: 'projects/p/floorplans',
      timestamp: at(50),
    });
  });
});

describe('the time of a run', () => {
  it('ends it by itself between two pages, and the next run goes on there', async () => {
    const site = await liveSite();
    for (let n = 10; n < 16; n += 1) site.floorplan('p', `f${n}`, n);
    expect(await stopAfter(site, floorplansOf('p'), 1)).toMatchObject({ stoppedEarly: true });
    expect(site.takeEvents()).toHaveLength(2);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      cursor: at(10.999),
      failures: 0,
    });
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
