import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { reconcile } from '../support/reconciled-site.ts';
import { deletedAt, entityAt, liveSite, Site } from '../support/site.ts';

/** A run that dies after publishing and before saving. */
async function dieAfterPublishing(site: Site): Promise<ChangeEvent[]> {
  const topic = intercept(site.topic, async ({ proceed }) => {
    await proceed();
    throw new Error('died');
  });
  await expect(site.poll({}, { topic })).rejects.toThrow('died');
  return site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
}

describe('an item whose event may have been published when the process died', () => {
  /** One run, and its events of items as action and id. */
  const itemsOf = async (site: Site) =>
    (await site.events()).flatMap((event) => event.split('template_check_item.')[1] ?? []);

  const big = (second: number) => entityAt('i', second, { note: 'a'.repeat(500_000) });

  async function siteWithChecklist(): Promise<Site> {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    await site.catchUp();
    return site;
  }

  it('is republished unchanged, even if it changed since', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 20, { name: 'I' }), entityAt('k', 20)]);
    const before = await dieAfterPublishing(site);
    expect(before.map(({ type }) => type.split('.')[1])).toEqual(['updated', 'created', 'deleted']);
    site.checklist('p', 'c', 30, [entityAt('i', 30, { name: 'II' }), entityAt('j', 10)]);
    await site.poll();
    const after = site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
    const unchanged = before.map((event) => {
      return { ...event, recordedtime: expect.anything() as string };
    });
    expect(after.slice(0, 3).sort(byId)).toEqual(unchanged.sort(byId));
    expect(after.slice(3).map(({ type, partitionkey }) => `${type} ${partitionkey}`)).toEqual([
      'template_check_item.updated i',
      'template_check_item.restored j',
      'template_check_item.deleted k',
    ]);
    expect(site.quarantine.items).toEqual([]);
  });

  it.each([
    ['is whole, if it is the same', big(20), [big(20)], ['updated i 20']],
    [
      'is published with the next change',
      big(20),
      [entityAt('i', 30, { note: 'b' })],
      ['updated i 30'],
    ],
    ['is published with its end', big(20), [], ['deleted i 20']],
    ['is published as deleted, if it was', { ...big(20), ...deletedAt(20) }, [], ['deleted i 20']],
  ])('and whose content was too large to keep, %s', async (_, first, items, expected) => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 15, [entityAt('i', 10)]);
    await site.catchUp();
    site.checklist('p', 'c', 20, [first]);
    const [before] = await dieAfterPublishing(site);
    site.checklist('p', 'c', 30, items);
    await site.poll();
    const after = site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
    const published = ({ type, partitionkey, sequence }: ChangeEvent) =>
      `${type.split('.')[1]} ${partitionkey} ${sequence.slice(17, 19)}`;
    expect(after.map(published)).toEqual(expected);
    const isSame = after[0]?.id === before?.id;
    expect(isSame).toBe(isDeepStrictEqual(after[0]?.data.object, before?.data.object));
  });

  it('is published by a reconcile, though its checklist is not shown', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'd', 10, []);
    await site.catchUp();
    site.checklist('p', 'c', 20, [entityAt('i', 20, { name: 'I' }), entityAt('j', 10)]);
    const [before] = await dieAfterPublishing(site);
    site.api.hidden.add('c');
    site.api.entityAnswers.set('/projects/p/template_checklists/c', { verdict: 'forbidden' });
    const { events } = await reconcile(site);
    const cause = 'reconcile';
    expect(events).toEqual([{ ...before, cause, recordedtime: events[0]?.recordedtime }]);
    expect((await reconcile(site)).events).toEqual([]);
  });

  it('is published beside an unusable id, though it is not shown, and is not deleted', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 20, { name: 'I' }), entityAt('j', 10)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'c', 30, [{ id: '' }, entityAt('j', 10)]);
    expect(await itemsOf(site)).toEqual(['updated i']);
  });

  it('that was dropped, and whose content was too large to keep, is published by its id', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 15, [big(15)]);
    await site.catchUp();
    site.checklist('p', 'c', 20, []);
    await dieAfterPublishing(site);
    await site.poll();
    expect(site.takeEvents()[0]?.data.object).toEqual({ id: 'i' });
  });

  it('is not saved ahead during the baseline, nor is a current sheet', async () => {
    const site = new Site();
    site.project('p', 1);
    site.checklist('p', 'c', 2, [entityAt('i', 2)]);
    const ahead: unknown[] = [];
    const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) => {
      const states = parameters[1] as EntityState[];
      ahead.push(...states.filter(({ unpublished }) => unpublished !== undefined));
      return proceed();
    });
    await site.poll({}, { store });
    site.floorplan('p', 'f', 3, { current_sheet: entityAt('s', 3) });
    await site.poll({}, { store });
    expect(ahead).toEqual([]);
    site.checklist('p', 'c', 4, [entityAt('i', 4)]);
    await site.poll({}, { store });
    expect(ahead).toHaveLength(1);
  });

  it('is quarantined if the topic refuses it, and counts as published', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 20, { name: 'I' }), entityAt('j', 10)]);
    await dieAfterPublishing(site);
    site.topic.refuse(({ partitionkey }) => (partitionkey === 'i' ? 'too large' : undefined));
    expect(await itemsOf(site)).toEqual([]);
    expect(site.quarantine.items).toMatchObject([{ value: { partitionkey: 'i' } }]);
    site.topic.refuse(() => undefined);
    site.checklist('p', 'c', 30, [entityAt('i', 30), entityAt('j', 10)]);
    expect(await itemsOf(site)).toEqual(['updated i']);
  });
});

function byId(a: ChangeEvent, b: ChangeEvent): number {
  return a.id.localeCompare(b.id);
}
