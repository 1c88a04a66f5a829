import { describe, expect, it } from 'vitest';
import { entityKey } from '../../functions/core/model/entity-state.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  type Site,
} from '../support/site.ts';

const DAY_MS = 86_400_000;
/** Seconds after all retentions here. */
const LATER = 500 * 86_400;

/** The retention passes without a poll, and the table deletes what has expired. */
function pass(site: Site): void {
  site.clock.advance(401 * DAY_MS);
  site.store.expire(site.clock.now());
}

describe('an entity that is restored', () => {
  it('is restored as long as its state is kept, and created after that', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    await site.catchUp();
    site.clock.advance(399 * DAY_MS);
    expect(site.store.expire(site.clock.now())).toEqual([]);
    site.floorplan('p', 'f', 20);
    expect(await site.events()).toEqual(['floorplan.restored f']);
    site.floorplan('p', 'f', 30, deletedAt(30));
    await site.catchUp();
    pass(site);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['floorplan.created f']);
  });

  it('is known for good from then on', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    await site.catchUp();
    site.floorplan('p', 'f', 20);
    await site.catchUp();
    pass(site);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('is restored after the retention, too, while the table still has its state', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    await site.catchUp();
    site.clock.advance(500 * DAY_MS);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['floorplan.restored f']);
  });

  it('is restored after the retention, too, if it vanished from its list without a trace', async () => {
    const site = await liveSite();
    const [gone, stays] = [entityAt('i', 10), entityAt('j', 10)];
    site.checklist('p', 'c', 10, [gone, stays]);
    await site.catchUp();
    site.checklist('p', 'c', 20, [stays]);
    await site.poll();
    const [deleted] = site.takeEvents();
    expect(deleted?.type).toBe('template_check_item.deleted');
    pass(site);
    site.checklist('p', 'c', LATER, [gone, stays]);
    await site.poll();
    const [restored] = site.takeEvents();
    expect(restored).toMatchObject({ type: 'template_check_item.restored' });
    expect((restored?.sequence ?? '') > (deleted?.sequence ?? '')).toBe(true);
  });
});

describe('an entity that was deleted longer ago than the retention', () => {
  it('is neither told again nor saved if it is shown again', async () => {
    const site = await liveSite({ filter: '>=' });
    site.floorplan('p', 'f', 10, deletedAt(10));
    site.checklist('p', 'c', 10, [entityAt('i', 10, deletedAt(10)), entityAt('j', 10)]);
    await site.catchUp();
    pass(site);
    site.floorplan('p', 'g', LATER);
    site.checklist('p', 'c', LATER, [entityAt('i', 10, deletedAt(10)), entityAt('j', LATER)]);
    expect(await site.events()).toEqual([
      'floorplan.created g',
      'template_check_item.updated j',
      'template_checklist.updated c',
    ]);
    const floorplans = await site.store.loadStates(FEED, [entityKey('floorplan', 'f')]);
    expect(floorplans.size).toBe(0);
    const item = entityKey('template_check_item', 'i', 'c');
    expect((await site.store.loadStates(checklistsOf('p').slice(1), [item])).size).toBe(0);
  });

  it('is not told if it was never known, as in a project that appears', async () => {
    const site = await liveSite();
    site.clock.advance(401 * DAY_MS);
    site.project('q', 10);
    site.floorplan('q', 'old', 10, deletedAt(10));
    site.floorplan('q', 'recent', 2 * 86_400, deletedAt(2 * 86_400));
    expect(await site.events()).toEqual(['project.created q', 'floorplan.deleted recent']);
  });

  it('is told if it was known', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    pass(site);
    expect(await site.events()).toEqual(['floorplan.deleted f']);
  });
});

describe('a project that is restored after its state has expired', () => {
  it('is created, and its lists go on where they were', async () => {
    const site = await liveSite();
    site.project('p', 11, deletedAt(11));
    await site.catchUp();
    const { cursor } = (await site.feed(FEED)) ?? {};
    pass(site);
    expect(await site.events()).toEqual([]);
    expect(await site.feed(FEED)).toMatchObject({ parked: {}, cursor });
    site.project('p', LATER);
    site.floorplan('p', 'f', LATER);
    expect(await site.events()).toEqual(['project.created p', 'floorplan.updated f']);
    expect(await site.paths()).toContain(floorplansOf('p'));
  });
});
