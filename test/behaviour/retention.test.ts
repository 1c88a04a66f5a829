import { describe, expect, it } from 'vitest';
import { childPrefix, entityKey } from '../../functions/core/model/entity-state.ts';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import type { Feed } from '../../functions/core/model/feed.ts';
import type { LeaseGuard } from '../../functions/core/ports/lease-guard.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
} from '../support/site.ts';

const DAY_MS = 86_400_000;
/** Seconds after all retentions here. */
const LATER = 500 * 86_400;

/** The whole retention passes, and the day after which lists are removed; nothing is polled meanwhile. */
function pass(site: Awaited<ReturnType<typeof liveSite>>): void {
  site.clock.advance(401 * DAY_MS + 2 * 3_600_000);
}

/** The lists of a project that is restored after it was forgotten begin anew in the next run. */
async function eventsOfTwoRuns(
  site: Awaited<ReturnType<typeof liveSite>>,
  options: Partial<RunOptions> = {},
): Promise<string[]> {
  return [...(await site.events(options)), ...(await site.events(options))];
}

describe('an entity that was deleted longer ago than the retention', () => {
  it('is created when it is restored, and restored before that', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    await site.catchUp();
    site.clock.advance(399 * DAY_MS);
    site.floorplan('p', 'f', 20);
    expect(await site.events()).toEqual(['floorplan.restored f']);
    site.floorplan('p', 'f', 30, deletedAt(30));
    await site.catchUp();
    pass(site);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['floorplan.created f']);
    site.floorplan('p', 'f', LATER + 1);
    pass(site);
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('is not deleted again when a list still shows it behind its cursor', async () => {
    const site = await liveSite({ filter: '>=' });
    site.floorplan('p', 'f', 10, deletedAt(10));
    site.checklist('p', 'c', 10, [entityAt('i', 10, deletedAt(10)), entityAt('j', 10)]);
    await site.catchUp();
    pass(site);
    site.floorplan('p', 'g', LATER);
    site.checklist('p', 'c', LATER, [entityAt('i', 10, deletedAt(10)), entityAt('j', LATER)]);
    expect(await site.events()).toEqual([
      'floorplan.created g',
      'template_checklist.updated c',
      'template_check_item.updated j',
    ]);
  });

  it('is told if it was not polled until then', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    site.floorplan('p', 'new', 11, deletedAt(11));
    pass(site);
    expect(await site.events()).toEqual(['floorplan.deleted f', 'floorplan.deleted new']);
  });

  it('comes back to its list with a sequence after that of its delete', async () => {
    const site = await liveSite();
    const [gone, stays] = [entityAt('i', 10), entityAt('j', 10)];
    site.checklist('p', 'c', 10, [gone, stays]);
    await site.catchUp();
    site.checklist('p', 'c', 20, [stays]);
    await site.poll();
    const [, deleted] = site.takeEvents();
    expect(deleted?.type).toBe('template_check_item.deleted');
    pass(site);
    site.checklist('p', 'c', LATER, [gone, stays]);
    await site.poll();
    const [, created] = site.takeEvents();
    expect(created).toMatchObject({ type: 'template_check_item.created', time: timeAt(10) });
    expect((created?.sequence ?? '') > (deleted?.sequence ?? '')).toBe(true);
    site.checklist('p', 'c', LATER + 1, [entityAt('i', LATER + 1), stays]);
    expect(await site.events()).toContain('template_check_item.updated i');
  });
});

describe('a project that was deleted longer ago than the retention', () => {
  it('is removed in the time that polling leaves, by as many runs as that takes', async () => {
    const site = await liveSite();
    site.project('q', 5);
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    pass(site);
    const removed: string[] = [];
    const store = intercept(site.store, async ({ name, parameters, proceed }) => {
      if (name !== 'removeFeed') return proceed();
      const [feed, guard] = parameters as [Feed, LeaseGuard];
      removed.push(feed.id);
      // Its states take longer than the run has.
      site.clock.advance(50_000);
      await settlePromises();
      guard.assertHeld();
      return proceed();
    });
    site.floorplan('q', 'g', LATER);
    const summary = await site.poll({ leaseMs: 600_000 }, { store });
    expect(summary).toMatchObject({ stoppedEarly: false, events: { created: 1 } });
    expect(removed).toEqual([FEED]);
    site.clock.advance(3_600_000);
    site.floorplan('p', 'f', LATER);
    expect(await site.paths()).toEqual([PROJECTS, floorplansOf('q'), checklistsOf('q')]);
    expect(await site.feed(FEED)).toBeUndefined();
  });

  it('is polled as before if its delete was not seen as a change: it is known', async () => {
    const site = await liveSite({ lookbackMs: 10_000 });
    // The delete has the version that is known already.
    site.project('p', 1, deletedAt(1));
    await site.catchUp();
    expect((await site.feed(FEED))?.parked).toBe('project-deleted');
    pass(site);
    site.floorplan('p', 'f2', LATER);
    expect(await site.events()).toContain('floorplan.created f2');
    expect(await site.feed(FEED)).toBeDefined();
  });

  it('loses its lists and their states, and is polled no more', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10)]);
    await site.poll();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    expect(await site.feed(FEED)).toMatchObject({ parked: 'project-deleted' });
    pass(site);
    expect(await site.paths()).toEqual([PROJECTS]);
    expect(await site.feed(FEED)).toBeUndefined();
    const states = await site.store.loadStates(FEED, [entityKey('floorplan', 'f')]);
    expect(states.size).toBe(0);
    const items = childPrefix('template_check_item', 'c');
    expect(await site.store.loadLiveChildren(checklistsOf('p').slice(1), items)).toEqual([]);
    expect(site.telemetry.logs.map(({ message }) => message)).toContain(
      'Projects deleted long ago were forgotten',
    );
    site.clock.advance(3_600_000);
    expect(await site.paths()).toEqual([PROJECTS]);
  });

  it('loses them, though a page cannot be published in any run', async () => {
    const site = await liveSite();
    site.project('q', 11);
    await site.poll();
    site.project('p', 12, deletedAt(12));
    await site.catchUp();
    pass(site);
    site.floorplan('q', 'f', LATER);
    const topic = replaceCall(site.topic, 'publish', () => {
      throw new PublishFailedError('throttled', { hint: 'Wait.', acceptedCount: 0 });
    });
    await expect(site.poll({}, { topic })).rejects.toThrow('throttled');
    expect(await site.feed(FEED)).toBeUndefined();
  });

  it('is new with all its content when it is restored, whether a run came in between or not', async () => {
    for (const hasRun of [true, false]) {
      const site = await liveSite();
      site.project('p', 11, deletedAt(11));
      await site.catchUp();
      pass(site);
      if (hasRun) await site.poll();
      site.project('p', LATER);
      expect(await eventsOfTwoRuns(site)).toEqual([
        'project.created p',
        'floorplan.created f',
        'floorplan.deleted gone',
      ]);
    }
  });

  it('is new with all its content, too, if one of its lists is being polled as it is restored', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    // It is forgotten, and its lists are not removed yet.
    site.clock.advance(400.5 * DAY_MS);
    site.project('p', LATER);
    const shown = Promise.withResolvers<undefined>();
    site.api.answerNext(floorplansOf('p'), async (page) => {
      await shown.promise;
      return page;
    });
    const store = replaceCall(site.store, 'saveStates', async ({ parameters, proceed }) => {
      const saved = await proceed();
      const [feedId] = parameters as [string];
      if (feedId === PROJECTS.slice(1)) shown.resolve(undefined);
      return saved;
    });
    await site.poll({}, { store });
    expect((await eventsOfTwoRuns(site)).toSorted()).toEqual([
      'floorplan.created f',
      'floorplan.deleted gone',
      'project.created p',
    ]);
  });

  it('is new with all its content, too, if one of its lists changes before they begin anew', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    site.clock.advance(400.5 * DAY_MS);
    site.project('p', LATER);
    site.floorplan('p', 'new', LATER);
    // It is shown by the list as it was, and by the new one.
    expect((await eventsOfTwoRuns(site)).toSorted()).toEqual([
      'floorplan.created f',
      'floorplan.created new',
      'floorplan.created new',
      'floorplan.deleted gone',
      'project.created p',
    ]);
  });

  it('stays without lists to poll if it is deleted again before its lists begin anew', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    pass(site);
    site.project('p', LATER);
    const restored = await site.events();
    site.project('p', LATER + 1, deletedAt(LATER + 1));
    expect([...restored, ...(await eventsOfTwoRuns(site))].slice(0, 2)).toEqual([
      'project.created p',
      'project.deleted p',
    ]);
    expect(await site.feed(FEED)).toMatchObject({ parked: 'project-deleted' });
  });

  it('is new with all its content, too, if one of its lists had changed after the delete', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    site.clock.advance(DAY_MS);
    site.floorplan('p', 'f', 86_400);
    expect(await site.events()).toEqual(['floorplan.updated f']);
    site.clock.advance(399.5 * DAY_MS);
    site.project('p', LATER);
    expect((await eventsOfTwoRuns(site)).toSorted()).toEqual([
      'floorplan.created f',
      'floorplan.deleted gone',
      'project.created p',
    ]);
  });

  it('is new with all its content, too, if the retention was longer by the time it is restored', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.poll({ retentionMs: 30 * DAY_MS });
    site.takeEvents();
    site.clock.advance(31 * DAY_MS);
    site.project('p', 31 * 86_400);
    expect((await eventsOfTwoRuns(site)).toSorted()).toEqual([
      'floorplan.created f',
      'floorplan.deleted gone',
      'project.created p',
    ]);
  });

  it('is new with all its content, too, if a run died that was removing its lists', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    pass(site);
    const dying = replaceCall(site.store, 'removeFeed', async ({ parameters }) => {
      const [{ id }] = parameters as [Feed];
      const { states } = await site.store.loadStatesAfter(id);
      await site.store.deleteStates(
        id,
        states.map(({ key }) => key),
      );
      throw new Error('died');
    });
    await site.poll({}, { store: dying }).catch(() => undefined);
    site.clock.advance(60_000);
    site.project('p', LATER);
    expect((await eventsOfTwoRuns(site, { retentionMs: 800 * DAY_MS })).toSorted()).toEqual([
      'floorplan.created f',
      'floorplan.deleted gone',
      'project.created p',
    ]);
  });

  it('keeps its lists when a host is hours ahead, as it is known to others', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    await site.poll();
    site.project('p', 20, deletedAt(20));
    await site.catchUp();
    site.clock.advance(400 * DAY_MS + 3 * 3_600_000);
    await site.poll();
    site.clock.advance(-5 * 3_600_000);
    site.project('p', 399 * 86_400);
    site.checklist('p', 'c', 399 * 86_400, [entityAt('i', 10)]);
    expect((await site.events()).toSorted()).toEqual([
      'project.restored p',
      'template_check_item.deleted j',
      'template_checklist.updated c',
    ]);
  });

  it('is kept while it changes', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.poll();
    site.clock.advance(300 * DAY_MS);
    site.project('p', 300 * 86_400, deletedAt(11));
    await site.catchUp();
    site.clock.advance(300 * DAY_MS);
    await site.poll();
    site.project('p', LATER);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['project.restored p', 'floorplan.updated f']);
  });
});
