import { describe, expect, it } from 'vitest';
import { partitionsOf } from '../../functions/core/model/feed.ts';
import { replaceCall } from '../support/intercept.ts';
import { busySite, type Site } from '../support/site.ts';

/** A run of a shard that takes its lease and dies. */
async function runThatDies(site: Site, shard: number, shardCount: number): Promise<void> {
  const partitions = partitionsOf(shard, shardCount);
  const store = replaceCall(site.store, 'freeLease', () => Promise.resolve());
  await site.poll({ runId: 'dies', shard, partitions, remainingMs: () => 30_000 }, { store });
}

describe('the lease', () => {
  it('keeps a second run from working', async () => {
    const site = await busySite();
    const now = site.clock.now();
    await site.store.takeLease({ partitions: [7], owner: 'other', until: now + 60_000 }, now);
    expect(await site.poll()).toMatchObject({ leaseHeld: true, polled: 0 });
    expect(site.takeEvents()).toEqual([]);
    expect(site.telemetry.counted('LeaseHeld')).toBe(1);
    // That of the baseline.
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
    expect(site.telemetry.logs).toEqual([
      { level: 'info', message: 'Another run holds the lease', fields: { shard: 0 } },
    ]);
  });

  it('is freed at the end, also after a failure', async () => {
    const site = await busySite();
    const topic = { publish: () => Promise.reject(new Error('broken')) };
    await expect(site.poll({ runId: 'a' }, { topic })).rejects.toThrow('broken');
    expect(await site.poll({ runId: 'b' })).toMatchObject({ leaseHeld: false });
  });

  it('that cannot be freed is logged, and fails no run', async () => {
    const site = await busySite();
    const error = new Error('throttled');
    const store = replaceCall(site.store, 'freeLease', () => Promise.reject(error));
    await site.poll({}, { store });
    const message = 'The lease was not freed; it will end';
    expect(site.telemetry.logs).toMatchObject([{ level: 'error', message, error }]);
  });

  it('of a run that dies ends with the time-out of its function, plus some seconds', async () => {
    const site = await busySite();
    await runThatDies(site, 0, 1);
    site.clock.advance(30_000);
    expect(await site.poll({ runId: 'next' })).toMatchObject({ leaseHeld: true });
    site.clock.advance(5_000);
    expect(await site.poll({ runId: 'next' })).toMatchObject({ leaseHeld: false });
  });
});
