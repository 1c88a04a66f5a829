import { describe, expect, it } from 'vitest';
import type { FeedStore } from '../../functions/control/ports.ts';
import { retryItems } from '../../functions/control/retry-items.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { EntityState } from '../../functions/core/model/entity-state.ts';
import {
  validateEntities,
  type Entity,
  type JsonObject,
} from '../../functions/core/model/entity.ts';
import { partitionsOf } from '../../functions/core/model/feed.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import { change } from '../support/change.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import {
  checklistsOf,
  entityAt,
  FEED,
  floorplansOf,
  liveSite,
  type Site,
} from '../support/site.ts';

const full = { put: () => Promise.reject(new Error('full')) };

describe('an invalid entity', () => {
  it('is quarantined whole and once, and the rest of the page is processed', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    const broken = { updated_at: timeAt(10), name: 'no id' };
    site.api.put(floorplansOf('p'), broken);
    site.floorplan('p', 'f', 11, { name: 'F' });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    await site.poll();
    expect(site.quarantine.items).toEqual([
      {
        subject: expect.stringMatching(`^/${FEED}/![0-9a-f]{16}$`) as string,
        ...{ feed: FEED, kind: 'entity', version: toFixedWidth(timeAt(10)), listedAt: timeAt(10) },
        reason: expect.stringContaining('id must be') as string,
        value: broken,
      },
    ]);
  });

  it('is quarantined once, although its other fields differ on every read', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (const signature of ['a', 'b', 'c']) {
      site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10), signature });
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(1);
  });
  it('that is nested thousands of levels deep is quarantined, cut, and its list goes on', async () => {
    const site = await liveSite();
    const outline = JSON.parse('['.repeat(9_000) + ']'.repeat(9_000)) as unknown;
    const nested = (entity: JsonObject) =>
      entity['id'] === 'deep' ? { ...entity, outline } : entity;
    const answer: PageAnswer = (page) => ({
      ...page,
      entities: page.entities.map((entity) => {
        const items = entity['template_check_items'] as JsonObject[] | undefined;
        return { ...nested(entity), ...(items && { template_check_items: items.map(nested) }) };
      }) as Entity[],
    });
    for (const path of [floorplansOf('p'), checklistsOf('p')])
      site.api.answerNext(path, answer, answer);
    site.floorplan('p', 'deep', 5);
    site.floorplan('p', 'g', 6);
    site.checklist('p', 'c', 7, [entityAt('i', 7), entityAt('deep', 7)]);
    expect(await site.events()).toEqual([
      'floorplan.created g',
      'template_check_item.created i',
      'template_checklist.created c',
    ]);
    expect(site.quarantine.items).toMatchObject([
      { value: { id: 'deep' }, reason: expect.stringContaining('at most 50 levels') as string },
      { value: { id: 'deep' }, reason: expect.stringContaining('at most 50 levels') as string },
    ]);
    expect(JSON.stringify(site.quarantine.items)).toContain('[cut: nested too deeply]');
    expect(await site.events()).toEqual([]);
    expect(site.quarantine.items).toHaveLength(2);
  });
  it('may be null: it has neither id nor version', async () => {
    const site = await liveSite();
    const invalid = [{ value: null, reason: 'why' }];
    site.api.answerNext(floorplansOf('p'), (page) => ({ ...page, invalid }));
    await site.poll();
    expect(site.quarantine.items).toMatchObject([{ kind: 'entity', version: '', value: null }]);
  });

  it('does not hold the cursor back when the page has no other entity', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10) });
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(10) });
  });

  it('is quarantined before anything of its page is published', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10) });
    site.floorplan('p', 'f', 11, { name: 'F' });
    await expect(site.poll({}, { quarantine: full })).rejects.toThrow('full');
    await expect(site.poll({}, { quarantine: full })).rejects.toThrow('full');
    expect(site.takeEvents()).toEqual([]);
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(site.quarantine.items).toHaveLength(1);
  });
  it('may be an event that the topic refuses: it is quarantined and the page committed', async () => {
    const site = await liveSite();
    site.topic.refuse(() => 'InvalidParameter');
    site.floorplan('p', 'f', 10);
    const summary = await site.poll();
    expect(summary).toMatchObject({ quarantined: 1, events: { updated: 0 } });
    expect(site.telemetry.counted('EventsPublished')).toBe(0);
    const value = { type: 'floorplan.updated', sequence: toFixedWidth(timeAt(10)) };
    expect(site.quarantine.items).toMatchObject([{ feed: FEED, value }]);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(10) });
  });
});

/** Has all items of the quarantine tried again, as the control function does. */
async function retryAll(site: Site, store: FeedStore = site.store): Promise<void> {
  const { quarantine, clock } = site;
  const feeds = await site.store.loadFeeds(partitionsOf(0, 1));
  await retryItems(await quarantine.list(), feeds, {
    ...{ catalog: site.options.catalog, store, quarantine },
    ...{ now: () => clock.now(), isDry: false },
  });
}

it('an event stays in the quarantine if its list gets a job while it is tried again', async () => {
  const site = await liveSite();
  site.topic.refuse(() => 'InvalidParameter');
  site.floorplan('p', 'f', 10);
  await site.poll();
  site.topic.refuse(() => undefined);
  const store = replaceCall(site.store, 'loadFeedsById', async ({ proceed }) => {
    await change(site, { command: 'reconcile', scope: {} });
    return proceed();
  });
  await retryAll(site, store);
  expect(await site.quarantine.list()).toHaveLength(1);
});

describe('an entity that is tried again', () => {
  const brokenItem = { id: 'i/i', updated_at: timeAt(30), deleted_at: null };

  /** A site with an invalid entity and an invalid item of a checklist, followed by others. */
  async function siteWithQuarantine(): Promise<Site> {
    const site = await liveSite();
    site.floorplan('p', 'g', 10, { deleted_at: 'never' });
    site.checklist('p', 'c', 11, [entityAt('i', 11), brokenItem]);
    await site.poll();
    site.floorplans('p', 12, 16);
    site.checklist('p', 'd', 16, []);
    await site.catchUp();
    await site.catchUp();
    expect(site.quarantine.items).toHaveLength(2);
    return site;
  }

  it.each([
    ['with no list of items', { template_check_items: 'https://x/?signature=' }],
    ['without an id', { id: undefined, url: 'https://x/?signature=' }],
  ])('%s is quarantined once, though its address differs on every read', async (_, fields) => {
    const site = await liveSite();
    for (let n = 0; n < 3; n += 1) {
      const signed = JSON.stringify({ ...entityAt('c', 10), ...fields }).replace('e=', `e=${n}`);
      const page = validateEntities([JSON.parse(signed)]);
      site.api.answerNext(checklistsOf('p'), (shown) => ({ ...shown, ...page }));
      await site.poll();
    }
    expect(await site.quarantine.list()).toHaveLength(1);
  });

  it('is quarantined again, once, as long as it is invalid', async () => {
    const site = await siteWithQuarantine();
    await retryAll(site);
    for (let runs = 0; runs < 3; runs += 1) expect(await site.events()).toEqual([]);
    const { items } = site.quarantine;
    expect(items.slice(2)).toEqual(items.slice(0, 2));
  });

  it('is not forgotten, though a poll that began before the deletion ends after it', async () => {
    const site = await siteWithQuarantine();
    const deleteItems = site.quarantine.delete.bind(site.quarantine);
    let polled: Promise<unknown> | undefined;
    const retried = Promise.withResolvers<undefined>();
    site.quarantine.delete = async (subjects) => {
      const quarantine = replaceCall(site.quarantine, 'put', async ({ proceed }) => {
        const added: unknown = await proceed();
        await retried.promise;
        return added;
      });
      polled ??= site.poll({}, { quarantine });
      await new Promise(setImmediate);
      await deleteItems(subjects);
    };
    await retryAll(site);
    retried.resolve(undefined);
    await polled;
    await site.poll();
    await site.poll();
    expect(await site.quarantine.list()).toHaveLength(2);
  });

  it('is published when it is mended, and nothing else is', async () => {
    const site = await siteWithQuarantine();
    site.floorplan('p', 'g', 10);
    site.checklist('p', 'c', 11, [entityAt('i', 11), entityAt('usable', 30)]);
    await retryAll(site);
    const events = [...(await site.events()), ...(await site.events())];
    expect(events.sort()).toEqual(['floorplan.created g', 'template_check_item.created usable']);
    expect(await site.quarantine.list()).toEqual([]);
  });
});

it('what cannot be compared with its state is quarantined, and all else is published', async () => {
  const site = await liveSite({ lookbackMs: 60_000 });
  site.checklist(
    'p',
    'c',
    10,
    ['i', 'j', 'k'].map((id) => entityAt(id, 10)),
  );
  await site.catchUp();
  const content = () => {
    throw new TypeError('broken');
  };
  const store = replaceCall(site.store, 'loadStates', async ({ proceed }) => {
    const states = (await proceed()) as Map<string, EntityState>;
    for (const key of ['template_check_item#c#i', 'template_check_item#c#j']) {
      const state = states.get(key);
      if (state !== undefined) states.set(key, { ...state, content });
    }
    return states;
  });
  site.checklist('p', 'c', 20, [entityAt('i', 20)]);
  await site.poll({}, { store });
  const published = site.takeEvents().map(({ type, partitionkey }) => `${type} ${partitionkey}`);
  expect(published).toEqual(['template_check_item.deleted k', 'template_checklist.updated c']);
  const subject = '/projects/p/template_checklists/c/template_check_items';
  const reason = expect.stringContaining('could not be processed: TypeError') as string;
  expect(site.quarantine.items).toMatchObject([
    { subject: `${subject}/i`, reason, value: { updated_at: timeAt(20) } },
    { subject: `${subject}/j`, reason, value: { id: 'j' } },
  ]);
  expect(await site.events()).toEqual(['template_check_item.updated i']);
});

it('a refused event is kept, though it is refused again before its item is deleted', async () => {
  const site = await liveSite();
  site.topic.refuse(() => 'no');
  site.floorplan('p', 'f', 10);
  await site.poll();
  const deleteItems = site.quarantine.delete.bind(site.quarantine);
  site.quarantine.delete = async (subjects) => {
    await site.poll();
    await deleteItems(subjects);
  };
  await retryAll(site);
  await site.poll();
  expect(await site.quarantine.list()).toHaveLength(1);
});

it('a refused delete is tried again, though its item was newer than its checklist', async () => {
  const site = await liveSite();
  site.checklist('p', 'c', 10, [entityAt('i', 100)]);
  await site.catchUp();
  site.topic.refuse(({ partitionkey }) => (partitionkey === 'i' ? 'no' : undefined));
  site.checklist('p', 'c', 20, []);
  await site.poll();
  site.topic.refuse(() => undefined);
  await retryAll(site);
  expect(await site.events()).toContain('template_check_item.deleted i');
});

it('a refused event counts as published; tried again, it is replayed with its id', async () => {
  const site = await liveSite();
  const refused = ['p', 'f', 'i'];
  site.topic.refuse(({ partitionkey }) => (refused.includes(partitionkey) ? 'no' : undefined));
  site.project('p', 10, { name: 'Tower' });
  site.floorplan('p', 'f', 11, { name: 'F' });
  site.checklist('p', 'c', 12, [entityAt('i', 12), entityAt('j', 12)]);
  await site.catchUp();
  const ids = site.quarantine.items.map(({ value }) => (value as ChangeEvent).id);
  expect(ids).toHaveLength(3);
  site.topic.refuse(() => undefined);
  expect(await site.events()).toEqual([]);
  await retryAll(site);
  await site.poll();
  const published = site.takeEvents();
  expect(published.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(new Set(published.map(({ cause }) => cause))).toEqual(new Set(['replay']));
  expect(await site.quarantine.list()).toEqual([]);
});
