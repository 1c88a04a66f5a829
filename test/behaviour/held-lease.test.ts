import { describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../functions/core/model/errors.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import { intercept, replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { busySite, type Site } from '../support/site.ts';

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

async function passTime(site: Site, milliseconds: number): Promise<void> {
  site.clock.advance(milliseconds);
  await settlePromises();
}

/** Lets the lease be taken from a run. */
const loseLease = (site: Site, owner: string) =>
  site.store.releaseLease({ shard: '0', owner, expiresAt: 0 });

describe('the lease', () => {
  it('keeps a second run from working', async () => {
    const site = await busySite();
    const now = site.clock.now();
    await site.store.acquireLease({ shard: '0', owner: 'other', expiresAt: now + 60_000 }, now);
    expect(await site.poll()).toMatchObject({ leaseHeld: true, polled: 0 });
    expect(site.takeEvents()).toEqual([]);
    expect(site.telemetry.counted('LeaseHeld')).toBe(1);
    // That of the baseline.
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
    expect(site.telemetry.logs).toEqual([
      { level: 'info', message: 'Another run holds the lease', fields: { shard: '0' } },
    ]);
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
        await passTime(site, 20_000);
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
      await loseLease(site, 'first');
      await passTime(site, 20_000);
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
      await loseLease(site, 'slow');
      next ??= site.poll({ runId: 'next' });
      await next;
      await passTime(site, 20_000);
      return published;
    });
    let saves = NaN;
    const store = replaceCall(site.store, 'saveStates', ({ proceed }) => {
      saves += 1;
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic, store })).rejects.toThrow(LeaseLostError);
    expect(saves).toBe(0);
  });

  it('that is lost after the run has to stop is still reported', async () => {
    const site = await busySite();
    const topic = intercept(site.topic, async ({ proceed }) => {
      await passTime(site, 45_000);
      await loseLease(site, 'slow');
      await passTime(site, 20_000);
      return proceed();
    });
    await expect(site.poll({ runId: 'slow' }, { topic })).rejects.toThrow(LeaseLostError);
  });

  it.each([
    ['is not answered', () => new Promise<never>(() => undefined)],
    ['fails', () => Promise.reject(new Error('table is away'))],
  ])('whose renewal %s ends the run before the lease expires', async (_, renewLease) => {
    const site = await busySite();
    const start = site.clock.now();
    let stopped = Infinity;
    const store = replaceCall(site.store, 'renewLease', renewLease);
    site.api.answerNext('/projects', async (page, signal) => {
      signal?.addEventListener('abort', () => (stopped = site.clock.now()));
      for (let tick = 0; tick < 7; tick += 1) await passTime(site, 10_000);
      return page;
    });
    const running = site.poll({ remainingMs: () => 900_000 }, { store });
    await expect(running).rejects.toThrow('was not renewed');
    expect(stopped - start).toBeLessThan(60_000);
    // The page that arrived after the lease expired is not published.
    expect(site.takeEvents().filter(({ type }) => type.startsWith('project.'))).toEqual([]);
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
