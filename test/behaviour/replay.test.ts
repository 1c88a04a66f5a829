import { describe, expect, it } from 'vitest';
import type { Scope } from '../../functions/control/protocol.ts';
import { PublishFailedError } from '../../functions/core/model/errors.ts';
import { change, isAtWork, jobsOf } from '../support/change.ts';
import { timeAt } from '../support/list-service.ts';
import { deletedAt, FEED, liveSite, type Site } from '../support/site.ts';

/** Orders a replay of what was published since a second. */
function replay(site: Site, since: number, scope: Scope = {}): Promise<void> {
  return change(site, { command: 'replay', scope, since: timeAt(since) });
}

/** A site that has published events of each entity, and a delete. */
async function publishedSite(): Promise<Site> {
  const site = await liveSite();
  site.project('q', 10);
  site.floorplan('q', 'g', 11, { name: 'G' });
  site.checklist('q', 'c', 12, [
    { id: 'i', updated_at: timeAt(12) },
    { id: 'j', updated_at: timeAt(12) },
  ]);
  await site.catchUp();
  site.floorplan('p', 'f', 20, { name: 'F2' });
  site.floorplan('q', 'g', 21, { name: 'G', ...deletedAt(21) });
  site.checklist('q', 'c', 22, [{ id: 'i', updated_at: timeAt(12) }]);
  return site;
}

describe('a replay', () => {
  it('publishes the last event of each entity again: the same but for its cause, old values and time', async () => {
    const site = await publishedSite();
    await site.poll();
    const first = new Map(site.topic.published.map((event) => [event.id, event]));
    site.takeEvents();
    const publishedBefore = site.telemetry.counted('EventsPublished');
    await replay(site, 0);
    await site.poll();
    expect(site.telemetry.counted('EventsPublished')).toBe(publishedBefore + 6);
    const { outcome, counts } = (await jobsOf(site))[FEED] ?? {};
    expect([outcome, counts]).toStrictEqual(['done', { events: 1 }]);
    const again = site.takeEvents();
    expect(again.map(({ type, partitionkey }) => `${type} ${partitionkey}`).sort()).toEqual([
      'floorplan.deleted g',
      'floorplan.updated f',
      'project.created q',
      'template_check_item.created i',
      'template_check_item.deleted j',
      'template_checklist.updated c',
    ]);
    for (const { cause, recordedtime: _, data, ...event } of again) {
      const { cause: __, recordedtime: ___, data: published, ...same } = first.get(event.id) ?? {};
      expect(cause).toBe('replay');
      expect(event).toEqual(same);
      expect({ previous: published?.previous, ...data }).toEqual(published);
    }
    expect(await isAtWork(site)).toBe(false);
    expect(await site.events()).toEqual([]);
  });

  it.each<[string, number, Scope, string[]]>([
    ['its first moment', 22, {}, ['deleted j', 'updated c']],
    ['a list', 0, { list: FEED }, ['updated f']],
    ['a project', 12, { projectId: 'q' }, ['created i', 'deleted g', 'deleted j', 'updated c']],
    ['a resource', 0, { resource: 'projects' }, ['created q']],
  ])('has a scope: %s', async (_, since, scope, published) => {
    const site = await publishedSite();
    await site.catchUp();
    await replay(site, since, scope);
    const events = (await site.events()).map((text) => text.replace(/^.*\./, ''));
    expect(events.sort()).toEqual(published);
  });

  it('comes after the changes that the same run finds, so that no sequence steps back', async () => {
    const site = await publishedSite();
    await replay(site, 0, { list: FEED });
    const events = await site.events();
    expect(events.filter((text) => text.endsWith(' f'))).toEqual([
      'floorplan.updated f',
      'floorplan.updated f',
    ]);
  });

  it('goes on where it was, over as many runs as it needs', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 40);
    await site.catchUp();
    await replay(site, 10, { list: FEED });
    // Time passes with each call of the topic: one part of the states a run.
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = async (...given) => {
      site.clock.advance(60_000);
      await new Promise(setImmediate);
      return publish(...given);
    };
    const published: string[] = [];
    let runCount = 0;
    for (; await isAtWork(site); runCount += 1) published.push(...(await site.events()));
    expect(runCount).toBeGreaterThan(5);
    expect([published.length, new Set(published).size]).toEqual([30, 30]);
  });

  it('that the topic refuses fails the run, goes on with the next one, and disturbs no polling', async () => {
    const site = await publishedSite();
    await site.catchUp();
    await replay(site, 0, { list: FEED });
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = () =>
      Promise.reject(new PublishFailedError('refused', { acceptedCount: 0, hint: 'Wait.' }));
    await expect(site.events()).rejects.toThrow('refused');
    expect(site.telemetry.counted('PublishFailures')).toBe(1);
    expect(site.telemetry.logs).toContainEqual(
      expect.objectContaining({
        level: 'error',
        message: expect.stringContaining('interrupted') as string,
      }),
    );
    site.topic.publish = publish;
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });
  it('ends when it is cancelled', async () => {
    const site = await publishedSite();
    await site.catchUp();
    await replay(site, 0);
    const publish = site.topic.publish.bind(site.topic);
    site.topic.publish = async (...given) => {
      await change(site, { command: 'cancel', scope: {} });
      return publish(...given);
    };
    expect((await site.events()).length).toBeGreaterThan(0);
    expect(await isAtWork(site)).toBe(false);
    expect(await site.events()).toEqual([]);
  });
});
