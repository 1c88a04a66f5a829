import { describe, expect, it } from 'vitest';
import type { Entity, JsonObject } from '../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import { replaceCall, type Call } from '../support/intercept.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import { checklistsOf, entityAt, FEED, floorplansOf, liveSite } from '../support/site.ts';

const manyInvalid: PageAnswer = (page) => ({
  ...page,
  invalid: Array.from({ length: 1_200 }, (_, id) => ({ value: { id }, reason: `id ${id}` })),
});

const full = { put: () => Promise.reject(new Error('full')) };

describe('an invalid entity', () => {
  it('is quarantined whole and once, and the rest of the page is processed', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    const broken = { updated_at: timeAt(10), name: 'no id' };
    site.api.put(floorplansOf('p'), broken);
    site.floorplan('p', 'f', 11, { name: 'F' });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    await site.poll();
    const reason = expect.stringContaining('id must be') as string;
    const cursor = timeAt(1.999);
    expect(site.quarantine.items).toEqual([{ feed: FEED, cursor, reason, value: broken }]);
  });

  it('is quarantined once, although its other fields differ on every read', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (const signature of ['a', 'b', 'c']) {
      site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10), signature });
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(1);
  });

  it('is quarantined once, although it is on a page or in a list twice', async () => {
    const site = await liveSite();
    const broken = { id: 'not/usable', updated_at: timeAt(10) };
    site.checklist('p', 'c', 10, [broken, broken]);
    site.api.answerNext(floorplansOf('p'), (page) => ({
      ...page,
      invalid: [1, 2].map(() => ({ value: broken, reason: 'id must be …' })),
    }));
    await site.poll();
    expect(site.quarantine.items.map(({ feed }) => feed).sort()).toEqual([
      'projects/p/floorplans',
      'projects/p/template_checklists',
    ]);
  });

  it('with a fraction as id is quarantined once, although its content changes', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (const url of ['signed', 'signed again']) {
      site.api.put(floorplansOf('p'), { id: 7.5, updated_at: timeAt(5), url });
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

  it('is quarantined for each of its parents', async () => {
    const site = await liveSite();
    for (const id of ['c', 'd']) {
      site.api.put(
        checklistsOf('p'),
        entityAt(id, 10, { template_check_items: { url: 'signed' } }),
      );
    }
    await site.poll();
    expect(site.quarantine.items.map(({ reason }) => reason)).toEqual([
      'template_check_items of /projects/p/template_checklists/c: must be an array, got an object',
      'template_check_items of /projects/p/template_checklists/d: must be an array, got an object',
    ]);
  });

  it('is quarantined and remembered in chunks if there are many; after a failure the next poll goes on', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), manyInvalid, manyInvalid);
    const sizes: number[] = [];
    const record = ({ parameters, proceed }: Call) => {
      sizes.push((parameters.at(-1) as unknown[]).length);
      return sizes.length === 3 ? Promise.reject(new Error('full')) : proceed();
    };
    const quarantine = replaceCall(site.quarantine, 'put', record);
    const store = replaceCall(site.store, 'saveStates', ({ parameters, proceed }) =>
      record({ name: 'saveStates', parameters: parameters.slice(0, 2), proceed }),
    );
    await expect(site.poll({}, { quarantine, store })).rejects.toThrow('full');
    await site.poll({}, { quarantine, store });
    expect(sizes).toEqual([500, 500, 500, 500, 500, 200, 200]);
    expect(new Set(site.quarantine.items.map(({ reason }) => reason)).size).toBe(1_200);
    expect(site.quarantine.items).toHaveLength(1_200);
    const warnings = site.telemetry.logs.filter(({ level }) => level === 'warn');
    expect(warnings).toHaveLength(3 * 11);
    expect(warnings[10]).toMatchObject({ fields: { feed: FEED, quarantined: 490 } });
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

  it('is quarantined once, although its page cannot be published at first', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10) });
    site.floorplan('p', 'f', 11, { name: 'F' });
    const topic = { publish: () => Promise.reject(new Error('away')) };
    await expect(site.poll({}, { topic })).rejects.toThrow('away');
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
