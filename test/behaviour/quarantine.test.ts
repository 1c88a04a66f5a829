import { describe, expect, it } from 'vitest';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import { timeAt } from '../support/list-service.ts';
import { checklistsOf, entityAt, floorplansOf, liveSite } from '../support/site.ts';

describe('what cannot be worked with', () => {
  it('goes whole to the quarantine, once, and the rest of the page goes on', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    const broken = { updated_at: timeAt(10), name: 'no id' };
    site.api.put(floorplansOf('p'), broken);
    site.floorplan('p', 'f', 11, { name: 'F' });
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
    await site.poll();
    expect(site.quarantine.items).toEqual([
      {
        feed: 'projects/p/floorplans',
        cursor: '2026-03-02T07:59:02.000Z',
        reason: expect.stringContaining('id must be') as string,
        value: broken,
      },
    ]);
  });

  it('is set aside once, though its other fields differ on every read', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (const signature of ['a', 'b', 'c']) {
      site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10), signature });
      await site.poll();
    }
    expect(site.quarantine.items).toHaveLength(1);
  });

  it('is set aside once, though it is on a page or in a list twice', async () => {
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

  it('is set aside for each parent it was found in', async () => {
    const site = await liveSite();
    for (const id of ['c', 'd']) {
      site.api.put(checklistsOf('p'), entityAt(id, 10, { template_check_items: null }));
    }
    await site.poll();
    expect(site.quarantine.items.map(({ reason }) => reason)).toEqual([
      'template_check_items of /projects/p/template_checklists/c: must be an array, got null',
      'template_check_items of /projects/p/template_checklists/d: must be an array, got null',
    ]);
  });

  it('does not keep the cursor back when there is nothing else on a page', async () => {
    const site = await liveSite();
    site.api.put(floorplansOf('p'), { id: 'not/usable', updated_at: timeAt(10) });
    await site.poll();
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: timeAt(10) });
  });

  it('is an event that the topic refuses for good: the event is kept, the page is committed', async () => {
    const site = await liveSite();
    site.topic.refuse(() => 'InvalidParameter');
    site.floorplan('p', 'f', 10);
    const summary = await site.poll();
    expect(summary).toMatchObject({ quarantined: 1, events: { updated: 0 } });
    expect(site.telemetry.counted('EventsPublished')).toBe(0);
    expect(site.quarantine.items).toMatchObject([
      {
        feed: 'projects/p/floorplans',
        value: { type: 'floorplan.updated', sequence: toFixedWidth(timeAt(10)) },
      },
    ]);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ cursor: timeAt(10) });
  });
});
