import { describe, expect, it } from 'vitest';
import { settlePromises } from '../support/manual-clock.ts';
import { LeaseLostError } from '../../functions/core/model/errors.ts';
import { intercept } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { busySite } from '../support/site.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';

const CHANGES = ['publish', 'put', 'saveStates', 'addFeeds', 'commitFeed'];

/** Runs a site that loses its lease after the n-th publish or save. */
async function loseLeaseAfter(n: number): Promise<{ isLost: boolean; changes: string[] }> {
  const site = await busySite();
  let count = 0;
  const changes: string[] = [];
  const watch = <Port extends object>(port: Port): Port =>
    intercept(port, async ({ name, proceed }) => {
      if (count >= n && CHANGES.includes(name)) changes.push(name);
      if (count >= n && name === 'renewLease') throw new Error('table is away');
      const result = await proceed();
      if (name === 'publish' || name === 'saveStates') count += 1;
      if (count === n) site.clock.advance(40_000);
      return result;
    });
  const [store, topic, quarantine] = [site.store, site.topic, site.quarantine].map(watch);
  const running = site.poll({ concurrency: 1 }, { store, topic, quarantine } as Partial<Ports>);
  const isLost = await running.then(
    () => false,
    (error: unknown) => error instanceof LeaseLostError,
  );
  return { isLost, changes };
}

describe('the lease', () => {
  it('keeps a second run from working', async () => {
    const site = await busySite();
    await site.store.acquireLease(
      { shard: '0', owner: 'other', expiresAt: site.clock.now() + 60_000 },
      site.clock.now(),
    );
    const summary = await site.poll();
    expect(summary).toMatchObject({ leaseHeld: true, polled: 0 });
    expect(site.takeEvents()).toEqual([]);
    expect(site.telemetry.counted('LeaseHeld')).toBe(1);
  });

  it('is released at the end, also after a failure', async () => {
    const site = await busySite();
    const topic = { publish: () => Promise.reject(new Error('broken')) };
    await expect(site.poll({ runId: 'a' }, { topic })).rejects.toThrow('broken');
    expect(await site.poll({ runId: 'b' })).toMatchObject({ leaseHeld: false });
  });

  it('is renewed during a run, so that no other starts', async () => {
    const site = await busySite();
    const second: unknown[] = [];
    site.api.answerNext('/projects', async (page) => {
      for (let renewal = 0; renewal < 6; renewal += 1) {
        site.clock.advance(20_000);
        await settlePromises();
        second.push((await site.poll({ runId: 'second' })).leaseHeld);
      }
      return page;
    });
    await site.poll({ runId: 'first', remainingMs: () => 900_000 });
    expect(second).toEqual([true, true, true, true, true, true]);
  });

  it('that is lost ends the run without another commit', async () => {
    const site = await busySite();
    site.api.answerNext('/projects', async (page, signal) => {
      await site.store.releaseLease({ shard: '0', owner: 'first', expiresAt: 0 });
      site.clock.advance(20_000);
      await settlePromises();
      signal?.throwIfAborted();
      return page;
    });
    await expect(site.poll({ runId: 'first' })).rejects.toThrow(LeaseLostError);
    expect(await site.feed('projects')).toMatchObject({ cursor: timeAt(1) });
  });

  it('that is lost while a page is processed keeps that page from being saved', async () => {
    const site = await busySite();
    let next: Promise<unknown> | undefined;
    const topic = intercept(site.topic, async ({ proceed }) => {
      const published = await proceed();
      saves = 0;
      await site.store.releaseLease({ shard: '0', owner: 'slow', expiresAt: 0 });
      next ??= site.poll({ runId: 'next' });
      await next;
      site.clock.advance(20_000);
      await settlePromises();
      return published;
    });
    let saves = NaN;
    const store = intercept(site.store, ({ name, proceed }) => {
      if (name === 'saveStates') saves += 1;
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic, store })).rejects.toThrow(LeaseLostError);
    expect(saves).toBe(0);
  });

  it('that is lost after the run has to stop is still reported', async () => {
    const site = await busySite();
    const topic = intercept(site.topic, async ({ proceed }) => {
      site.clock.advance(45_000);
      await settlePromises();
      await site.store.releaseLease({ shard: '0', owner: 'slow', expiresAt: 0 });
      site.clock.advance(20_000);
      await settlePromises();
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic })).rejects.toThrow(LeaseLostError);
  });

  it('whose renewal is not answered ends the run before the lease expires', async () => {
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
        await settlePromises();
      }
      return page;
    });
    const running = site.poll({ remainingMs: () => 900_000 }, { store });
    await expect(running).rejects.toThrow('was not renewed');
    expect(stopped - start).toBeLessThan(60_000);
    // The page that arrived after the lease expired is not published.
    expect(site.takeEvents().filter(({ type }) => type.startsWith('project.'))).toEqual([]);
  });

  it('that cannot be renewed ends the run before the lease expires', async () => {
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
        await settlePromises();
      }
      signal?.throwIfAborted();
      return page;
    });
    await expect(site.poll({ remainingMs: () => 900_000 }, { store })).rejects.toThrow(
      'was not renewed',
    );
    expect(stopped - start).toBeLessThan(60_000);
  });

  it('that is lost within a page keeps the run from any further write', async () => {
    let n = 1;
    for (; ; n += 1) {
      const { isLost, changes } = await loseLeaseAfter(n);
      expect(changes, `lost after change ${n}`).toEqual([]);
      if (!isLost) break;
    }
    expect(n).toBeGreaterThan(10);
  });
});
