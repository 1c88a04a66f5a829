import { describe, expect, it } from 'vitest';
import { settlePromises } from '../support/manual-clock.ts';
import { FeedConflictError, PublishFailedError } from '../../functions/core/model/errors.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { intercept } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { busySite, deletedAt, liveSite, Site } from '../support/site.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';

const LONGER_THAN_LEASE_MS = 120_000;

/** Ports on which the process dies at call `n`, before or after its effect. */
function dyingPorts(ports: Ports, n: number, when: 'before' | 'after') {
  let calls = 0;
  const died = Promise.withResolvers<undefined>();
  const never = new Promise<never>(() => undefined);
  const die = () => {
    died.resolve(undefined);
    return never;
  };
  const dying = <Port extends object>(port: Port): Port =>
    intercept(port, async ({ proceed }) => {
      calls += 1;
      const call = calls;
      if (call > n || (call === n && when === 'before')) return die();
      const result = await proceed();
      return call === n ? die() : result;
    });
  const { api, store, topic, quarantine } = ports;
  return {
    died: died.promise,
    calls: () => calls,
    ports: {
      ...ports,
      api: dying(api),
      store: dying(store),
      topic: dying(topic),
      quarantine: dying(quarantine),
    },
  };
}

/** Events by id, without the only attribute that may differ. */
function byId(events: readonly ChangeEvent[]): Map<string, string> {
  return new Map(events.map(({ recordedtime, ...rest }) => [rest.id, JSON.stringify(rest)]));
}

describe('a run that is killed', () => {
  it.each(['before', 'after'] as const)(
    '%s the effect of any call loses nothing: the next run repeats the same ids',
    async (when) => {
      const whole = await busySite();
      const counting = dyingPorts(whole.ports, Infinity, when);
      await whole.poll({}, counting.ports);
      const expected = byId(whole.takeEvents());
      expect(expected.size).toBe(13);
      expect(counting.calls()).toBeGreaterThan(40);

      let repeats = 0;
      for (let n = 1; n <= counting.calls(); n += 1) {
        const site = await busySite();
        const { ports, died } = dyingPorts(site.ports, n, when);
        await Promise.race([site.poll({ runId: 'killed' }, ports), died]);
        const before = site.takeEvents();
        site.clock.advance(LONGER_THAN_LEASE_MS);
        await site.poll({ runId: 'next' });
        const after = site.takeEvents();
        const all = byId([...before, ...after]);
        expect([...all].sort(), `killed ${when} call ${n}`).toEqual([...expected].sort());
        for (const [id, text] of byId(before)) expect(text).toBe(all.get(id));
        repeats += before.length + after.length - all.size;
        expect(await site.events()).toEqual([]);
      }
      expect(repeats).toBeGreaterThan(0);
    },
  );
});

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
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1), failures: 0 });
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
    await expect(site.poll({}, { topic })).rejects.toThrow(AggregateError);
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
    const topic = intercept(site.topic, ({ name, proceed }) => {
      order.push(name);
      return proceed();
    });
    await site.poll({ concurrency: 1 }, { store, topic });
    const pendingEvent = order.indexOf('saveStates template_checklist');
    expect(order[pendingEvent - 1]).toMatch(/^load(Child)?States/);
    expect(order.slice(pendingEvent, pendingEvent + 6)).toEqual([
      // The parent no longer vouches for its items, which are in the outbox.
      'saveStates template_checklist',
      'saveStates template_check_item',
      'publish',
      'saveStates template_check_item',
      'saveStates template_checklist',
      'commitFeed',
    ]);
  });

  it('is compared with the saved states once', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    const lookups: unknown[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      if (name.startsWith('loadStates')) lookups.push(parameters);
      return proceed();
    });
    await site.poll({}, { store });
    expect(lookups).toEqual([['projects/p/floorplans', ['floorplan#f']]]);
  });

  it('saves no nested lists for an entity without them', async () => {
    const site = await liveSite();
    const known = await site.store.loadStates('projects', ['project#p']);
    expect(known.get('project#p')).toMatchObject({ version: timeAt(1) });
    expect(known.get('project#p')).not.toHaveProperty('nested');
  });

  it('that another run has committed is left to that run', async () => {
    const site = await busySite();
    const store = intercept(site.store, ({ name, proceed }) =>
      name === 'commitFeed'
        ? Promise.reject(
            new FeedConflictError('The feed was committed by another run', { hint: 'Nothing.' }),
          )
        : proceed(),
    );
    await expect(site.poll({}, { store })).rejects.toThrow('another run');
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1) });
  });
});
