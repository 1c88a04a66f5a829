import { describe, expect, it } from 'vitest';
import { invalidKey } from '../../functions/core/changes/invalid-entity.ts';
import type { Reread } from '../../functions/core/model/command.ts';
import type { Entity } from '../../functions/core/model/entity.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { intercept, recordCalls } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  checklistsOf,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  type Site,
} from '../support/site.ts';

/** Orders the lists of all items in the quarantine to be read again, as the control function does. */
async function retryAll(site: Site): Promise<void> {
  const lists: Record<string, Reread> = {};
  for (const { feed, cursor, reason, value } of site.quarantine.items) {
    const before = lists[feed]?.invalid ?? [];
    const invalid = [...before, invalidKey({ reason, value })];
    lists[feed] = { ...(cursor !== undefined && { from: cursor }), invalid };
  }
  const command = { id: '000001', name: 'reread', scope: {}, lists } as const;
  await site.store.saveCommands(
    Array.from({ length: FEED_PARTITIONS }, (_, partition) => ({ partition, command })),
  );
}

const broken = { id: 'not/usable', updated_at: timeAt(10), name: 'F' };
const brokenItem = { ...broken, id: 'i/i', deleted_at: null };

/** A site with an invalid entity, and an invalid item of a checklist, that are followed by others. */
async function siteWithQuarantine(): Promise<Site> {
  const site = await liveSite();
  site.api.put(floorplansOf('p'), broken);
  site.checklist('p', 'c', 11, [entityAt('i', 11), brokenItem]);
  await site.poll();
  site.floorplans('p', 12, 16);
  site.checklist('p', 'd', 16, []);
  await site.catchUp();
  await site.catchUp();
  expect(site.quarantine.items).toHaveLength(2);
  return site;
}

describe('an entity in the quarantine whose list is read again', () => {
  it('is quarantined again, once, as long as it is invalid', async () => {
    const site = await siteWithQuarantine();
    await retryAll(site);
    for (let runs = 0; runs < 3; runs += 1) expect(await site.events()).toEqual([]);
    const told = site.quarantine.items.map(({ reason, value }) => ({ reason, value }));
    expect(told.slice(2)).toEqual(told.slice(0, 2));
  });

  it('is told when it is mended, and nothing else is', async () => {
    const site = await siteWithQuarantine();
    site.api.answerNext(floorplansOf('p'), (page) => ({
      ...page,
      invalid: [],
      entities: [...page.entities, entityAt('usable', 10) as Entity].toSorted((a, b) =>
        a.updated_at < b.updated_at ? -1 : 1,
      ),
    }));
    site.checklist('p', 'c', 11, [entityAt('i', 11), entityAt('usable', 11)]);
    await retryAll(site);
    const events = [...(await site.events()), ...(await site.events())];
    expect(events.sort()).toEqual([
      'floorplan.created usable',
      'template_check_item.created usable',
    ]);
  });

  it('of a first page is found from the start of the list', async () => {
    const site = await siteWithQuarantine();
    const lists = { [FEED]: { invalid: [] } };
    await site.store.saveCommands(
      Array.from({ length: FEED_PARTITIONS }, (_, partition) => ({
        partition,
        command: { id: '000001', name: 'reread', scope: {}, lists },
      })),
    );
    site.api.put(floorplansOf('p'), entityAt('early', 1));
    expect(await site.events()).toEqual(['floorplan.created early']);
  });

  it('comes back, though a run dies after it forgot that it was quarantined', async () => {
    const site = await siteWithQuarantine();
    await retryAll(site);
    const store = intercept(site.store, ({ name, proceed }) => {
      if (name === 'commitFeed') throw new Error('died');
      return proceed();
    });
    await expect(site.poll({}, { store })).rejects.toThrow('died');
    await site.poll();
    expect(site.quarantine.items).toHaveLength(4);
  });
});

it('a list with an invalid item is compared whenever it is shown, and costs a quiet run nothing', async () => {
  const site = await siteWithQuarantine();
  site.api.takePaths();
  const calls: string[] = [];
  await site.poll({}, { store: recordCalls(site.store, calls) });
  expect(calls).not.toContain('loadStates');
  expect(site.api.takePaths()).toContain(checklistsOf('p'));
});
