import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../functions/core/event.ts';
import type { Known } from '../../../functions/core/known.ts';
import { intercept } from '../../support/intercept.ts';
import { at } from '../../support/list-service.ts';
import { checklistsOf, deletedAt, entity, liveSite, Site } from '../../support/site.ts';

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
    const site = await liveSite({ overlapMs: 5000 });
    site.checklist('p', 'c', 10, items(['i', 10]));
    await site.poll();
    site.takeEvents();
    site.checklist('p', 'c', 10, items(['i', 12, { name: 'I' }]));
    expect(await site.events()).toEqual([
      'template_check_item.updated /projects/p/template_checklists/c/template_check_items/i',
    ]);
    expect(await site.events()).toEqual([]);
  });

  it('cost no look into the store when they are shown again, in whatever order', async () => {
    const site = await liveSite({ overlapMs: 60_000 });
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
    await site.poll({}, { store });
    expect(looks).toEqual([]);
  });

  it('are set aside once, though others of their list change', async () => {
    const site = await liveSite();
    for (const second of [10, 20]) {
      site.checklist('p', 'c', second, [entity('i', second), { id: 'not/usable' }]);
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(1);
  });

  it('that are in a list twice count by their later version', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10, { name: 'new' }], ['i', 9, { name: 'old' }]));
    await site.poll();
    expect(site.takeEvents().map(({ sequence, data }) => [sequence, data.object['name']])).toEqual([
      [at(10), 'c'],
      [at(10), 'new'],
    ]);
  });

  it('are looked at when one that cannot be read is replaced by another', async () => {
    const site = await liveSite({ overlapMs: 60_000 });
    for (const id of ['not/usable', 'nor/this']) {
      site.checklist('p', 'c', 10, [{ id }]);
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(2);
  });

  it('are not deleted because an older answer, or one without the list, lacks them', async () => {
    const site = await liveSite({ overlapMs: 60_000 });
    site.checklist('p', 'c', 10, items(['i', 10]));
    await site.poll();
    site.takeEvents();
    site.checklist('p', 'c', 9, []);
    expect(await site.events()).toEqual([]);
    site.api.put(checklistsOf('p'), entity('c', 11));
    expect(await site.events()).toEqual([
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
    expect(site.quarantine.items).toEqual([]);
  });
});

describe('an item whose event may have been published when the process died', () => {
  const itemsOf = async (site: Site) =>
    (await site.events()).filter((event) => event.includes('item')).map(lastPart);
  const lastPart = (event: string) => event.replace(/ .*\//, ' ');

  /** Publishes, but does not come to save it. */
  async function dieAfterPublishing(site: Site): Promise<ChangeEvent[]> {
    const topic = intercept(site.topic, async ({ proceed }) => {
      await proceed();
      throw new Error('died');
    });
    await expect(site.poll({}, { topic })).rejects.toThrow('died');
    return site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
  }

  async function siteWithChecklist(): Promise<Site> {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entity('i', 10), entity('j', 10)]);
    await site.poll();
    site.takeEvents();
    return site;
  }

  it('is published just so once more, whatever became of it', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entity('i', 20, { name: 'I' }), entity('k', 20)]);
    const before = await dieAfterPublishing(site);
    expect(before.map(({ type }) => type.split('.')[1])).toEqual(['updated', 'created', 'deleted']);
    site.checklist('p', 'c', 30, [entity('i', 30, { name: 'II' }), entity('j', 10)]);
    await site.poll();
    const after = site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
    expect(after.slice(0, 3).sort(byId)).toEqual([...before].sort(byId));
    expect(after.slice(3).map(({ type, partitionkey }) => `${type} ${partitionkey}`)).toEqual([
      'template_check_item.updated i',
      'template_check_item.restored j',
      'template_check_item.deleted k',
    ]);
  });

  it('and that was deleted by missing is restored when it is back as if nothing had been', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entity('i', 10)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'c', 10, [entity('i', 10), entity('j', 10)]);
    site.checklist('p', 'c', 21, [entity('i', 10), entity('j', 10)]);
    expect(await itemsOf(site)).toEqual([
      'template_check_item.deleted j',
      'template_check_item.restored j',
    ]);
    expect(await itemsOf(site)).toEqual([]);
  });

  it('and that was created is deleted when it is gone', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'd', 20, [entity('n', 20)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'd', 21, []);
    expect(await itemsOf(site)).toEqual([
      'template_check_item.created n',
      'template_check_item.deleted n',
    ]);
  });

  it('is not announced in the baseline, nor as a current sheet: those need no second look', async () => {
    const site = new Site();
    site.project('p', 1);
    site.checklist('p', 'c', 2, [entity('i', 2)]);
    const announced: unknown[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      const known = name === 'saveKnown' ? (parameters[1] as Known[]) : [];
      announced.push(...known.filter((each) => each.announced !== undefined));
      return proceed();
    });
    await site.poll({}, { store });
    site.floorplan('p', 'f', 3, { current_sheet: entity('s', 3) });
    await site.poll({}, { store });
    expect(announced).toEqual([]);
    site.checklist('p', 'c', 4, [entity('i', 4)]);
    await site.poll({}, { store });
    expect(announced).toHaveLength(1);
  });
});

function byId(a: ChangeEvent, b: ChangeEvent): number {
  return a.id.localeCompare(b.id);
}

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
