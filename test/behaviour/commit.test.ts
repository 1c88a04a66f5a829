import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import {
  FeedConflictError,
  PublishFailedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import { intercept, recordCalls, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { busySite, deletedAt, FEED, floorplansOf, liveSite, Site } from '../support/site.ts';

/** Events by id, without the only attribute that may differ. */
function byId(events: readonly ChangeEvent[]): Map<string, string> {
  return new Map(events.map(({ recordedtime, ...rest }) => [rest.id, JSON.stringify(rest)]));
}

describe('the feeds of projects', () => {
  it('are not changed after the run has failed', async () => {
    const site = new Site();
    for (const n of [1, 2]) site.project(`p${n}`, n);
    await site.poll();
    for (const n of [1, 2]) site.project(`p${n}`, n + 10, deletedAt(11));
    let isOver = false;
    const late: string[] = [];
    const store = intercept(site.store, async ({ name, parameters, proceed }) => {
      const { id } = (parameters[0] ?? {}) as { id?: string };
      if (name === 'commitFeed' && id === 'projects/p1/floorplans') throw new Error('away');
      await settlePromises();
      if (isOver) late.push(name);
      return proceed();
    });
    await expect(site.poll({}, { store })).rejects.toThrow('away');
    isOver = true;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(late).toEqual([]);
  });
});

describe('a page', () => {
  it('is not committed when publishing fails, and is repeated with the same ids', async () => {
    const site = await busySite();
    const failed = new PublishFailedError('throttled', { hint: 'Wait.' });
    const tried: ChangeEvent[] = [];
    const topic = {
      publish: (events: readonly ChangeEvent[]) => {
        tried.push(...events);
        return Promise.reject(failed);
      },
    };
    await expect(site.poll({}, { topic })).rejects.toThrow('throttled');
    expect(site.telemetry.counted('PublishFailures')).toBeGreaterThan(0);
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1), notBefore: 0 });
    await site.poll();
    const published = byId(site.takeEvents());
    for (const [id, text] of byId(tried)) expect(published.get(id)).toBe(text);
  });

  it('that cannot be published is tried by the next run, although its list failed before', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    const down = () => Promise.reject(new ServiceError('GET: 500', { status: 500, hint: 'Wait.' }));
    site.api.answerNext(floorplansOf('p'), down, down, down);
    for (let n = 0; n < 7; n += 1) {
      await site.poll();
      site.clock.advance(60_000);
    }
    const failed = new PublishFailedError('throttled', { hint: 'Wait.' });
    const topic = { publish: () => Promise.reject(failed) };
    await expect(site.poll({}, { topic })).rejects.toThrow('throttled');
    expect(await site.events()).toEqual(['floorplan.updated f']);
  });

  it('that cannot be published is tried by the next run, then after 1 minute, 2, 4 … up to 10', async () => {
    const site = await liveSite();
    const failed = new PublishFailedError('throttled', { hint: 'Wait.' });
    const topic = { publish: () => Promise.reject(failed) };
    site.floorplan('p', 'f', 10, { name: 'F' });
    const waits: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await expect(site.poll({}, { topic })).rejects.toThrow('throttled');
      const { notBefore = 0 } = (await site.feed(FEED)) ?? {};
      const waitMs = Math.max(0, notBefore - site.clock.now());
      waits.push(waitMs / 60_000);
      if (waitMs > 0) expect(await site.poll({}, { topic })).toMatchObject({ polled: 2 });
      site.clock.advance(waitMs);
    }
    expect(waits).toEqual([0, 1, 2, 4, 8, 10, 10]);
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(await site.feed(FEED)).toMatchObject({ failures: 0, notBefore: 0 });
  });

  it('that cannot be committed does not stop other feeds', async () => {
    const site = await busySite();
    const topic = {
      publish: (events: readonly ChangeEvent[]) =>
        events.some(({ type }) => type.startsWith('floorplan'))
          ? Promise.reject(new PublishFailedError('throttled', { hint: 'Wait.' }))
          : site.topic.publish(events),
    };
    // An operator follows the hint of what failed first.
    const failure = { name: 'AggregateError', hint: 'Wait.' };
    await expect(site.poll({}, { topic })).rejects.toMatchObject(failure);
    expect(site.takeEvents().map(({ type }) => type)).toContain('template_checklist.updated');
  });

  it('is published before it is saved: nested entities, then parents, then the cursor', async () => {
    const site = await busySite();
    const order: string[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      const saved = name === 'saveStates' ? (parameters[1] as { key: string }[]) : [];
      order.push([name, ...saved.slice(0, 1).map(({ key }) => key.split('#')[0])].join(' '));
      return proceed();
    });
    await site.poll({ concurrency: 1 }, { store, topic: recordCalls(site.topic, order) });
    const first = order.indexOf('saveStates template_check_item');
    expect(order[first - 1]).toMatch(/^loadStates/);
    expect(order.slice(first, first + 6)).toEqual([
      // Ahead of its event: a later page may show nothing of it.
      'saveStates template_check_item',
      'publish',
      'saveStates template_check_item',
      'publish',
      'saveStates template_checklist',
      'commitFeed',
    ]);
  });

  it('is compared with the saved states once', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    const lookups: unknown[] = [];
    const store = replaceCall(site.store, 'loadStates', ({ parameters, proceed }) => {
      lookups.push(parameters);
      return proceed();
    });
    await site.poll({}, { store });
    expect(lookups).toEqual([['projects/p/floorplans', ['floorplan#f']]]);
  });

  it('saves no nested lists for an entity without them', async () => {
    const site = await liveSite();
    const state = (await site.store.loadStates('projects', ['project#p'])).get('project#p');
    expect(state).toMatchObject({ version: timeAt(1) });
    expect(state).not.toHaveProperty('nested');
  });

  it('whose feed was written meanwhile is read again by the next run, and no failure is counted', async () => {
    const site = await busySite();
    const conflict = new FeedConflictError('written by an operator', { hint: 'Nothing.' });
    const store = replaceCall(site.store, 'commitFeed', () => Promise.reject(conflict));
    expect(await site.poll({}, { store })).toMatchObject({ failing: 0 });
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1), failures: 0 });
    expect(site.telemetry.logs.filter(({ level }) => level !== 'info')).toEqual([]);
    await site.poll();
    expect(await site.feed('projects')).not.toMatchObject({ cursor: timeAt(1) });
  });
});
