import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import type { Page } from '../../functions/core/ports/service-api.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { checklistsOf, deletedAt, entityAt, liveSite, Site } from '../support/site.ts';

const CHECKLISTS = checklistsOf('p');

/** A run that dies after publishing and before saving. */
async function dieAfterPublishing(site: Site): Promise<ChangeEvent[]> {
  const topic = intercept(site.topic, async ({ proceed }) => {
    await proceed();
    throw new Error('died');
  });
  await expect(site.poll({}, { topic })).rejects.toThrow('died');
  return site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
}

/** A run that publishes but cannot save the checklist. */
async function failToSaveChecklist(site: Site): Promise<void> {
  const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) =>
    (parameters[1] as EntityState[])[0]?.key === 'template_checklist#c'
      ? Promise.reject(new Error('throttled'))
      : proceed(),
  );
  await expect(site.poll({}, { store })).rejects.toThrow('throttled');
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
    expect(after.slice(0, 3).sort(byId)).toEqual([...before].sort(byId));
    expect(after.slice(3).map(({ type, partitionkey }) => `${type} ${partitionkey}`)).toEqual([
      'template_check_item.updated i',
      'template_check_item.restored j',
      'template_check_item.deleted k',
    ]);
    expect(site.quarantine.items).toEqual([]);
  });

  it.each([
    ['is whole, if it is the same', [big(20)], ['updated i 20']],
    ['is told with the next change', [entityAt('i', 30, { note: 'b' })], ['updated i 30']],
    ['is told with its end', [], ['deleted i 30']],
  ])('and whose content was too large to keep, %s', async (_, items, expected) => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 15, [entityAt('i', 10)]);
    await site.catchUp();
    site.checklist('p', 'c', 20, [big(20)]);
    const [before] = await dieAfterPublishing(site);
    site.checklist('p', 'c', 30, items);
    await site.poll();
    const after = site.takeEvents().filter(({ type }) => type.startsWith('template_check_item'));
    const told = ({ type, partitionkey, sequence }: ChangeEvent) =>
      `${type.split('.')[1]} ${partitionkey} ${sequence.slice(17, 19)}`;
    expect(after.map(told)).toEqual(expected);
    const isSame = after[0]?.id === before?.id;
    expect(isSame).toBe(isDeepStrictEqual(after[0]?.data.object, before?.data.object));
  });

  it('and whose content was too large to keep lets its list rest when its timestamp steps back', async () => {
    let second = 100;
    const site = await liveSite({ lookbackMs: 10_000, clock: () => Date.parse(timeAt(second)) });
    site.checklist('p', 'c', 10, [entityAt('i', 10)]);
    await site.catchUp();
    site.checklist('p', 'c', 90, [big(89)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'c', 95, [entityAt('i', 80, { note: 'b' })]);
    for (const later of [200, 300]) {
      second = later;
      await site.poll();
    }
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['template_checklist.updated']);
    expect(await site.feed('projects/p/template_checklists')).toMatchObject({ cursor: timeAt(95) });
    site.checklist('p', 'c', 310, [entityAt('i', 310, { note: 'c' })]);
    second = 320;
    expect(await itemsOf(site)).toEqual(['updated i']);
  });

  it('is not published a third time', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 20, { name: 'I' }), entityAt('j', 10)]);
    await dieAfterPublishing(site);
    expect(await itemsOf(site)).toEqual(['updated i']);
    site.checklist('p', 'c', 30, [entityAt('i', 20, { name: 'I' }), entityAt('j', 30)]);
    expect(await itemsOf(site)).toEqual(['updated j']);
  });

  it('and that was deleted by missing is restored when it is back unchanged', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 10)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('j', 10)]);
    site.checklist('p', 'c', 21, [entityAt('i', 10), entityAt('j', 10)]);
    expect(await itemsOf(site)).toEqual(['deleted j', 'restored j']);
    expect(await itemsOf(site)).toEqual([]);
  });

  it('and that was created is deleted when it is missing', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'd', 20, [entityAt('n', 20)]);
    await dieAfterPublishing(site);
    site.checklist('p', 'd', 21, []);
    expect(await itemsOf(site)).toEqual(['created n', 'deleted n']);
  });

  it('is in the outbox with its parent; an unchanged list is not', async () => {
    const site = await siteWithChecklist();
    site.checklist('p', 'c', 20, [entityAt('i', 10), entityAt('j', 20, deletedAt(20))]);
    await site.poll();
    site.checklist('p', 'c', 30, [entityAt('i', 10)]);
    const saved: string[][] = [];
    const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) => {
      const keys = (parameters[1] as EntityState[]).map(({ key }) => key);
      if (keys.length > 0) saved.push(keys);
      return proceed();
    });
    await site.poll({}, { store });
    expect(saved).toEqual([['template_checklist#c']]);
    site.checklist('p', 'c', 40, [entityAt('i', 40)]);
    await site.poll({}, { store });
    const [parent, item] = ['template_checklist#c', 'template_check_item#c#i'];
    expect(saved.slice(1).flat()).toEqual([parent, item, item, parent]);
  });

  it('is not in the outbox during the baseline, nor is a current sheet', async () => {
    const site = new Site();
    site.project('p', 1);
    site.checklist('p', 'c', 2, [entityAt('i', 2)]);
    const pending: unknown[] = [];
    const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) => {
      const states = parameters[1] as EntityState[];
      pending.push(...states.filter(({ pendingEvent }) => pendingEvent !== undefined));
      return proceed();
    });
    await site.poll({}, { store });
    site.floorplan('p', 'f', 3, { current_sheet: entityAt('s', 3) });
    await site.poll({}, { store });
    expect(pending).toEqual([]);
    site.checklist('p', 'c', 4, [entityAt('i', 4)]);
    await site.poll({}, { store });
    expect(pending).toHaveLength(1);
  });
});

function byId(a: ChangeEvent, b: ChangeEvent): number {
  return a.id.localeCompare(b.id);
}

describe('an answer that is older than the items in the outbox', () => {
  it('does not change them, and the next newer answer is compared again', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    site.checklist('p', 'c', 10, [entityAt('i', 10)]);
    await site.poll();
    site.checklist('p', 'c', 20, [entityAt('i', 10), entityAt('k', 20)]);
    await dieAfterPublishing(site);
    for (const older of [10, 15]) {
      site.checklist('p', 'c', older, [entityAt('i', 10)]);
      expect(await site.events()).not.toContainEqual(expect.stringContaining('check_item'));
    }
    site.checklist('p', 'c', 21, [entityAt('i', 10)]);
    expect(await site.events()).toEqual([
      'template_check_item.created k',
      'template_checklist.updated c',
      'template_check_item.deleted k',
    ]);
  });
});

/** A site whose service has our clock, and whose next answer may come from an older copy. */
async function unsavedSite(lookbackMs: number) {
  const site: Site = new Site({ clock: () => site.clock.now(), lookbackMs });
  site.project('p', 1);
  for (let n = 0; n < 6; n += 1) {
    await site.catchUp();
    site.clock.advance(60_000);
  }
  const now = (): number => (site.clock.now() - Date.parse(timeAt(0))) / 1000;
  const older = (page: Page): void => {
    const readAfter = new Date(site.clock.now()).toISOString();
    site.api.answerNext(CHECKLISTS, () => ({ ...page, readAfter }));
  };
  return { site, now, older };
}

describe('nested entities of a parent that was not saved', () => {
  it('are not deleted by an older answer on the second read', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 20, [entityAt('i', 10), entityAt('k', 20)]);
    await failToSaveChecklist(site);
    site.takeEvents();
    site.checklist('p', 'c', 10, [entityAt('i', 10)]);
    expect(await site.events()).toEqual(['template_checklist.created c']);
  });

  it('are not deleted by an older answer, though they have the time of one before it', async () => {
    const { site, now, older } = await unsavedSite(60_000);
    const begin = now();
    site.checklist('p', 'c', begin, [entityAt('i', begin - 1)]);
    const page = await site.api.fetchPage({ path: CHECKLISTS, perPage: 10 });
    site.clock.advance(20_000);
    site.checklist('p', 'c', now(), [entityAt('i', begin - 1), entityAt('late', begin - 1)]);
    await failToSaveChecklist(site);
    site.takeEvents();
    site.clock.advance(30_000);
    older(page);
    expect(await site.events()).toEqual(['template_checklist.created c']);
  });

  it('are not restored by an older answer after their end was told', async () => {
    const { site, now, older } = await unsavedSite(180_000);
    const begin = now();
    site.checklist('p', 'c', begin, [entityAt('i', begin - 5), entityAt('j', begin - 5)]);
    const page = await site.api.fetchPage({ path: CHECKLISTS, perPage: 10 });
    await failToSaveChecklist(site);
    site.clock.advance(5_000);
    site.checklist('p', 'c', now(), [entityAt('j', begin - 5)]);
    await failToSaveChecklist(site);
    expect(site.takeEvents().map(({ type }) => type)).toContain('template_check_item.deleted');
    site.clock.advance(65_000);
    older(page);
    expect(await site.events()).toEqual(['template_checklist.created c']);
  });

  it('are deleted when they are missing on the second read', async () => {
    const site = await liveSite();
    site.checklist('p', 'c', 10, [entityAt('i', 10), entityAt('k', 10)]);
    await failToSaveChecklist(site);
    expect(site.takeEvents()).toHaveLength(3);
    site.checklist('p', 'c', 20, [entityAt('i', 10)]);
    expect(await site.events()).toEqual([
      'template_checklist.created c',
      'template_check_item.deleted k',
    ]);
  });
});
