import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { intercept } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import {
  checklistsOf,
  deletedAt,
  entityAt,
  liveSite,
  type Site,
  type SiteOptions,
} from '../support/site.ts';

describe('nested entities', () => {
  const items = (...list: [string, number, object?][]) =>
    list.map(([id, second, fields]) => entityAt(id, second, { ...fields }));

  async function siteWith(list: JsonObject[], options?: SiteOptions): Promise<Site> {
    const site = await liveSite(options);
    site.checklist('p', 'c', 10, list);
    await site.catchUp();
    return site;
  }

  it('are events of their own, and the parent leaves them out', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, items(['i', 10], ['j', 10]));
    await site.poll();
    const events = site.takeEvents();
    expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      'template_check_item.created /projects/p/template_checklists/c/template_check_items/i',
      'template_check_item.created /projects/p/template_checklists/c/template_check_items/j',
      'template_checklist.created /projects/p/template_checklists/c',
    ]);
    expect(events.at(-1)?.data.object).not.toHaveProperty('template_check_items');
  });

  it('are updated, deleted, deleted by missing, and restored when they come back', async () => {
    const site = await siteWith(items(['i', 10], ['j', 10], ['k', 10]));
    site.checklist('p', 'c', 20, items(['i', 20, { name: 'I' }], ['j', 20, deletedAt(20)]));
    expect(await site.events()).toEqual([
      'template_check_item.updated i',
      'template_check_item.deleted j',
      'template_check_item.deleted k',
      'template_checklist.updated c',
    ]);
    site.checklist(
      'p',
      'c',
      30,
      items(['i', 20, { name: 'I' }], ['j', 20, deletedAt(20)], ['k', 10]),
    );
    expect(await site.events()).toEqual([
      'template_check_item.restored k',
      'template_checklist.updated c',
    ]);
  });

  it('are compared even if their parent is unchanged', async () => {
    const site = await siteWith(items(['i', 10]), { lookbackMs: 5000 });
    site.checklist('p', 'c', 10, items(['i', 12, { name: 'I' }]));
    expect(await site.events()).toEqual(['template_check_item.updated i']);
    expect(await site.events()).toEqual([]);
  });

  it('are not loaded when they are shown again in any order, and of a new list only the new ones', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    site.checklist('p', 'c', 10, items(['i', 10], ['j', 10]));
    await site.poll();
    site.checklist('p', 'c', 10, items(['j', 10], ['i', 10]));
    const lookups: unknown[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      if (name.startsWith('load') && String(parameters[1]).includes('check_item#c'))
        lookups.push(parameters[1]);
      return proceed();
    });
    await site.poll({}, { store });
    // The page is another one, but the list of the checklist is not.
    site.checklist('p', 'd', 11, []);
    await site.poll({}, { store });
    expect(lookups).toEqual([]);
    site.checklist('p', 'c', 20, items(['i', 10], ['j', 20]));
    await site.poll({}, { store });
    expect(lookups).toEqual(['template_check_item#c#', ['template_check_item#c#j']]);
  });

  it('are compared when an invalid one is replaced by another', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (const id of ['not/usable', 'nor/this']) {
      site.checklist('p', 'c', 10, [{ id }]);
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(2);
  });

  it('are neither deleted nor published by an older answer, nor deleted by one without the list', async () => {
    const site = await siteWith(items(['i', 10]), { lookbackMs: 60_000 });
    site.checklist('p', 'c', 9, items(['k', 12]));
    expect(await site.events()).toEqual([]);
    site.api.put(checklistsOf('p'), entityAt('c', 11));
    expect(await site.events()).toEqual(['template_checklist.updated c']);
  });

  it('are not deleted while the list shows them with a fault, and none beside an unusable id', async () => {
    const site = await siteWith(items(['i', 10], ['j', 10], ['k', 10]));
    site.checklist('p', 'c', 15, [...items(['i', 10]), { id: '' }]);
    expect(await site.events()).toEqual(['template_checklist.updated c']);
    site.checklist('p', 'c', 20, [...items(['j', 10]), { id: 'i', updated_at: 'now' }]);
    expect(await site.events()).toEqual([
      'template_check_item.deleted k',
      'template_checklist.updated c',
    ]);
    expect(site.quarantine.items).toMatchObject([
      { value: { id: '' } },
      { feed: 'projects/p/template_checklists', value: { id: 'i', updated_at: 'now' } },
    ]);
  });

  it('are not shown by null, which deletes none of them', async () => {
    const site = await siteWith(items(['i', 10]));
    site.api.put(checklistsOf('p'), entityAt('c', 20, { template_check_items: null }));
    await site.poll();
    expect(site.takeEvents()).toMatchObject([{ type: 'template_checklist.updated' }]);
    expect(site.quarantine.items).toEqual([]);
  });

  it('are neither deleted nor restored as long as their parent did not move', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    const show = (version: number, ...list: [string, number][]) => {
      site.checklist('p', 'c', version, items(...list));
      return site.events();
    };
    await show(10, ['i', 10]);
    expect(await show(10, ['i', 10], ['k', 12])).toEqual(['template_check_item.created k']);
    expect(await show(10, ['i', 10])).toEqual([]);
    // The list is the same as before: its parent is newer.
    const deleted = ['template_check_item.deleted k', 'template_checklist.updated c'];
    expect(await show(20, ['i', 10])).toEqual(deleted);
    expect(await show(20, ['i', 10], ['k', 12])).toEqual([]);
    const restored = ['template_check_item.restored k', 'template_checklist.updated c'];
    expect(await show(30, ['i', 10], ['k', 12])).toEqual(restored);
  });

  it('that are no array are quarantined, and the parent is processed', async () => {
    const site = await liveSite();
    site.api.put(checklistsOf('p'), entityAt('c', 10, { template_check_items: 'none' }));
    expect(await site.events()).toEqual(['template_checklist.created c']);
    expect(site.quarantine.items).toMatchObject([
      {
        subject: expect.stringContaining('/c/template_check_items/') as string,
        reason: 'must be an array, got a text of 4 characters',
        listedAt: timeAt(10),
      },
    ]);
  });

  it('are the current sheet of a floorplan; a replaced sheet is not deleted', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { current_sheet: entityAt('s1', 10) });
    expect(await site.events()).toEqual(['sheet.created s1', 'floorplan.updated f']);
    site.floorplan('p', 'f', 15, { current_sheet: entityAt('s1', 15, { name: 'turned' }) });
    expect(await site.events()).toEqual(['sheet.updated s1', 'floorplan.updated f']);
    site.floorplan('p', 'f', 20, { current_sheet: entityAt('s2', 20) });
    expect(await site.events()).toEqual(['sheet.created s2', 'floorplan.updated f']);
    site.floorplan('p', 'f', 30, { current_sheet: null });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(site.quarantine.items).toEqual([]);
  });

  it.each(['current_sheet', 'active_sheet', 'sheet', 'sheets'])(
    'are the current sheet also as %s, as an object or in an array; its signed address is no change',
    async (field) => {
      const site = await liveSite({ filter: '>=' });
      let reads = 0;
      const shown = (second: number, sheet: JsonObject): unknown => {
        reads += 1;
        const signed = { ...sheet, file_url: `https://files.example/?sig=${reads}` };
        return second % 2 === 0 ? [signed] : signed;
      };
      const show = async (second: number, sheet: JsonObject): Promise<string[]> => {
        site.floorplan('p', 'f', second, { [field]: shown(second, sheet) });
        const published = await site.events();
        site.floorplan('p', 'f', second, { [field]: shown(second, sheet) });
        expect(await site.events()).toEqual([]);
        return published;
      };
      expect(await show(10, entityAt('s1', 10))).toEqual([
        'sheet.created s1',
        'floorplan.updated f',
      ]);
      expect(await show(11, entityAt('s1', 10))).toEqual(['floorplan.updated f']);
      expect(await show(12, entityAt('s2', 12))).toEqual([
        'sheet.created s2',
        'floorplan.updated f',
      ]);
      const floorplan = site.topic.published.findLast(({ type }) => type === 'floorplan.updated');
      expect(floorplan?.data).toMatchObject({
        object: { current_sheet_id: 's2' },
        changed: ['current_sheet_id'],
      });
      expect(floorplan?.data.object).not.toHaveProperty(field);
      site.floorplan('p', 'f', 14, { [field]: [] });
      expect(await site.events()).toEqual(['floorplan.updated f']);
      const last = site.topic.published.at(-1)?.data.object;
      expect(last).toMatchObject({ current_sheet_id: null });
      expect(site.quarantine.items).toEqual([]);
    },
  );

  it('that are current and have no version have that of their floorplan', async () => {
    const site = await liveSite();
    const sheet = { id: 's', file: 1 };
    site.floorplan('p', 'f', 10, { sheets: [sheet] });
    await site.catchUp();
    site.floorplan('p', 'f', 20, { sheets: [{ ...sheet, updated_at: null, file: 2 }] });
    expect((await site.events()).sort()).toEqual(['floorplan.updated f', 'sheet.updated s']);
    const published = site.topic.published.find(({ type }) => type === 'sheet.updated');
    expect(published?.data).toEqual({
      object: { id: 's', file: 2, updated_at: timeAt(20) },
      changed: ['file'],
      previous: { file: 1 },
    });
  });
});
