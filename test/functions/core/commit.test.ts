import { describe, expect, it } from 'vitest';
import { CursorMoved, LeaseLost, PublishFailed } from '../../../functions/core/errors.ts';
import type { ChangeEvent } from '../../../functions/core/event.ts';
import type { Ports } from '../../../functions/core/poll-feed.ts';
import { intercept } from '../../support/intercept.ts';
import { at } from '../../support/list-service.ts';
import { deletedAt, entity, Site } from '../../support/site.ts';

/** Longer than any lease. */
const LEASE_IS_OVER = 120_000;

/** A site whose next run has all kinds of changes to publish, over several pages and feeds. */
async function busySite(): Promise<Site> {
  const site = new Site();
  site.project('p', 1);
  for (let n = 2; n < 6; n += 1) site.floorplan('p', `f${n}`, n, n === 5 ? deletedAt(5) : {});
  site.checklist('p', 'c', 3, [entity('i', 3), entity('j', 3)]);
  await site.poll();
  site.project('p', 10, { name: 'Tower' });
  site.project('q', 11);
  site.floorplan('q', 'g', 11);
  site.floorplan('p', 'f2', 12, { name: 'Level 2' });
  site.floorplan('p', 'f3', 13, deletedAt(13));
  site.floorplan('p', 'f5', 14);
  site.floorplan('p', 'f6', 15, { current_sheet: entity('s', 15) });
  site.checklist('p', 'c', 16, [entity('i', 16, { name: 'I' }), entity('k', 16)]);
  site.project('r', 17, deletedAt(17));
  return site;
}

/** Ports on which the process dies at call `n`: just before it takes effect, or just after. */
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

/** Events by id, without the one attribute that may differ. */
function byId(events: readonly ChangeEvent[]): Map<string, string> {
  return new Map(events.map(({ recordedtime, ...rest }) => [rest.id, JSON.stringify(rest)]));
}

describe('a run that is killed', () => {
  it.each(['before', 'after'] as const)(
    'just %s any call loses nothing: the next one repeats with the same ids',
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
        site.clock.advance(LEASE_IS_OVER);
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
  it('are no longer touched once the run has failed', async () => {
    const site = new Site();
    for (const n of [1, 2]) site.project(`p${n}`, n);
    await site.poll();
    for (const n of [1, 2]) site.project(`p${n}`, n + 10, deletedAt(11));
    let isOver = false;
    const late: string[] = [];
    const store = intercept(site.store, async ({ name, parameters, proceed }) => {
      const { id } = (parameters[0] ?? {}) as { id?: string };
      if (name === 'commitFeed' && id === 'projects/p1/floorplans') throw new Error('away');
      await new Promise(setImmediate);
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
  it('is not committed when the topic does not take its events, and comes again with the same ids', async () => {
    const site = await busySite();
    const failed = new PublishFailed('throttled', { hint: 'Wait.' });
    const tried: ChangeEvent[] = [];
    const topic = {
      publish: (events: readonly ChangeEvent[]) => {
        tried.push(...events);
        return Promise.reject(failed);
      },
    };
    await expect(site.poll({}, { topic })).rejects.toThrow('throttled');
    expect(site.telemetry.counted('PublishFailures')).toBeGreaterThan(0);
    expect(await site.feed('projects')).toMatchObject({ cursor: at(1), failures: 0 });
    await site.poll();
    const published = byId(site.takeEvents());
    for (const [id, text] of byId(tried)) expect(published.get(id)).toBe(text);
  });

  it('of one feed that cannot be committed does not stop the others', async () => {
    const site = await busySite();
    const topic = {
      publish: (events: readonly ChangeEvent[]) =>
        events.some(({ type }) => type.startsWith('floorplan'))
          ? Promise.reject(new PublishFailed('throttled', { hint: 'Wait.' }))
          : site.topic.publish(events),
    };
    await expect(site.poll({}, { topic })).rejects.toThrow(AggregateError);
    expect(site.takeEvents().map(({ type }) => type)).toContain('template_checklist.updated');
  });

  it('is saved only after it is published, its nested entities before their parent, the cursor last', async () => {
    const site = await busySite();
    const order: string[] = [];
    const store = intercept(site.store, ({ name, parameters, proceed }) => {
      const saved = name === 'saveKnown' ? (parameters[1] as { key: string }[]) : [];
      order.push([name, ...saved.slice(0, 1).map(({ key }) => key.split('#')[0])].join(' '));
      return proceed();
    });
    const topic = intercept(site.topic, ({ name, proceed }) => {
      order.push(name);
      return proceed();
    });
    await site.poll({ concurrency: 1 }, { store, topic });
    const announced = order.indexOf('saveKnown template_checklist');
    expect(order[announced - 1]).toMatch(/^loadKnown/);
    expect(order.slice(announced, announced + 6)).toEqual([
      // The parent no longer says that its items are worked; these are announced.
      'saveKnown template_checklist',
      'saveKnown template_check_item',
      'publish',
      'saveKnown template_check_item',
      'saveKnown template_checklist',
      'commitFeed',
    ]);
  });

  it('that another run committed meanwhile is left to that run', async () => {
    const site = await busySite();
    const store = intercept(site.store, ({ name, proceed }) =>
      name === 'commitFeed'
        ? Promise.reject(new CursorMoved('The feed moved', { hint: 'Nothing.' }))
        : proceed(),
    );
    await expect(site.poll({}, { store })).rejects.toThrow('moved');
    expect(await site.feed('projects')).toMatchObject({ cursor: at(1) });
  });
});

describe('the lease', () => {
  it('keeps a second run from doing anything', async () => {
    const site = await busySite();
    await site.store.acquireLease(
      { shard: '0', owner: 'other', until: site.clock.now() + 60_000 },
      site.clock.now(),
    );
    const summary = await site.poll();
    expect(summary).toMatchObject({ leaseHeld: true, polled: 0 });
    expect(site.takeEvents()).toEqual([]);
    expect(site.telemetry.counted('LeaseHeld')).toBe(1);
  });

  it('is given back at the end, also of a run that failed', async () => {
    const site = await busySite();
    const topic = { publish: () => Promise.reject(new Error('broken')) };
    await expect(site.poll({ runId: 'a' }, { topic })).rejects.toThrow('broken');
    expect(await site.poll({ runId: 'b' })).toMatchObject({ leaseHeld: false });
  });

  it('is renewed while a run lives, so that no other begins', async () => {
    const site = await busySite();
    const second: unknown[] = [];
    site.api.answerNext('/projects', async (page) => {
      for (let renewal = 0; renewal < 6; renewal += 1) {
        site.clock.advance(20_000);
        await new Promise(setImmediate);
        second.push((await site.poll({ runId: 'second' })).leaseHeld);
      }
      return page;
    });
    await site.poll({ runId: 'first', remainingMs: () => 900_000 });
    expect(second).toEqual([true, true, true, true, true, true]);
  });

  it('that is lost ends the run without a further commit', async () => {
    const site = await busySite();
    site.api.answerNext('/projects', async (page, signal) => {
      await site.store.releaseLease({ shard: '0', owner: 'first', until: 0 });
      site.clock.advance(20_000);
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      return page;
    });
    await expect(site.poll({ runId: 'first' })).rejects.toThrow(LeaseLost);
    expect(await site.feed('projects')).toMatchObject({ cursor: at(1) });
  });

  it('that was lost while a page was worked keeps that page from being saved', async () => {
    const site = await busySite();
    const topic = intercept(site.topic, async ({ proceed }) => {
      const published = await proceed();
      saves = 0;
      await site.store.releaseLease({ shard: '0', owner: 'slow', until: 0 });
      await site.poll({ runId: 'next' });
      site.clock.advance(20_000);
      await new Promise(setImmediate);
      return published;
    });
    let saves = NaN;
    const store = intercept(site.store, ({ name, proceed }) => {
      if (name === 'saveKnown') saves += 1;
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic, store })).rejects.toThrow(LeaseLost);
    expect(saves).toBe(0);
  });

  it('that is lost after the run was told to stop is still told', async () => {
    const site = await busySite();
    const topic = intercept(site.topic, async ({ proceed }) => {
      site.clock.advance(45_000);
      await new Promise(setImmediate);
      await site.store.releaseLease({ shard: '0', owner: 'slow', until: 0 });
      site.clock.advance(20_000);
      await new Promise(setImmediate);
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic })).rejects.toThrow(LeaseLost);
  });

  it('whose renewal gets no answer ends the run while it still lasts, and the run does end', async () => {
    const site = await busySite();
    const start = site.clock.now();
    let stopped = Infinity;
    const store = intercept(site.store, ({ name, proceed }) =>
      name === 'renewLease' ? new Promise<never>(() => undefined) : proceed(),
    );
    site.api.answerNext('/projects', async (page, signal) => {
      signal?.addEventListener('abort', () => (stopped = site.clock.now()));
      for (let tick = 0; tick < 7; tick += 1) {
        site.clock.advance(10_000);
        await new Promise(setImmediate);
      }
      return page;
    });
    const running = site.poll({ remainingMs: () => 900_000 }, { store });
    await expect(running).rejects.toThrow('could not be renewed');
    expect(stopped - start).toBeLessThan(60_000);
    // What was published before is right; the page that came after the lease was over is not.
    expect(site.takeEvents().filter(({ type }) => type.startsWith('project.'))).toEqual([]);
  });

  it('that cannot be renewed ends the run while it still lasts', async () => {
    const site = await busySite();
    const start = site.clock.now();
    let stopped = 0;
    const store = intercept(site.store, ({ name, proceed }) =>
      name === 'renewLease' ? Promise.reject(new Error('table is away')) : proceed(),
    );
    site.api.answerNext('/projects', async (page, signal) => {
      signal?.addEventListener('abort', () => (stopped = site.clock.now()));
      for (let tick = 0; tick < 3; tick += 1) {
        site.clock.advance(20_000);
        await new Promise(setImmediate);
      }
      signal?.throwIfAborted();
      return page;
    });
    await expect(site.poll({ remainingMs: () => 900_000 }, { store })).rejects.toThrow(
      'could not be renewed',
    );
    expect(stopped - start).toBeLessThan(60_000);
  });
});
