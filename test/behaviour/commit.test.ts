import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { FeedConflictError, PublishFailedError } from '../../functions/core/model/errors.ts';
import { intercept, recordCalls, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { busySite, FEED, liveSite } from '../support/site.ts';

/** Events by id, without the only attribute that may differ. */
function byId(events: readonly ChangeEvent[]): Map<string, string> {
  return new Map(events.map(({ recordedtime, ...rest }) => [rest.id, JSON.stringify(rest)]));
}

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
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1), wait: { failures: 1 } });
    await site.poll();
    const published = byId(site.takeEvents());
    for (const [id, text] of byId(tried)) expect(published.get(id)).toBe(text);
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

  it('whose feed was written meanwhile is read again by the next run, and no failure is counted', async () => {
    const site = await busySite();
    const conflict = new FeedConflictError('written by an operator', { hint: 'Nothing.' });
    const store = replaceCall(site.store, 'commitFeed', () => Promise.reject(conflict));
    expect(await site.poll({}, { store })).toMatchObject({ waiting: 0 });
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1) });
    const message = 'A feed was changed meanwhile, and is read again';
    const entry = { level: 'info', message, fields: { feed: 'projects' } };
    expect(site.telemetry.logs).toContainEqual(entry);
    expect(site.telemetry.logs.filter(({ level }) => level !== 'info')).toEqual([]);
    await site.poll();
    expect(await site.feed('projects')).not.toMatchObject({ cursor: timeAt(1) });
  });

  it('notes in its feed when its last change was, by our clock, and nothing ahead of it', async () => {
    const site = await liveSite({ clock: () => Date.parse(timeAt(100)) });
    const now = site.clock.now();
    for (const [second, lastChange] of [
      [10, now - 90_000],
      [130, now],
    ] as const) {
      site.floorplan('p', 'f', second, { name: `${second}` });
      await site.poll();
      expect((await site.feed(FEED))?.lastChange).toBe(lastChange);
    }
  });
});
