import { describe, expect, it } from 'vitest';
import { entityKey } from '../../functions/core/model/entity-state.ts';
import { checklistsOf, deletedAt, entityAt, FEED, liveSite, type Site } from '../support/site.ts';

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
});

describe('an entity that was deleted longer ago than the retention', () => {
  it('is neither published again nor saved if it is shown again', async () => {
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
  it('is published if it has a state', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, deletedAt(10));
    pass(site);
    expect(await site.events()).toEqual(['floorplan.deleted f']);
  });
});
