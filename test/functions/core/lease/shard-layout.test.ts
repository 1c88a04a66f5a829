import { expect, it } from 'vitest';
import {
  joinLayout,
  leaseName,
  type ShardPlace,
} from '../../../../functions/core/lease/shard-layout.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { RecordingTelemetry } from '../../../support/recording-telemetry.ts';

const LEASE_MS = 60_000;

/** A table whose layout pollers join. */
function openTable() {
  const store = new MemoryStore();
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const place = { runId: 'run', shard: 0, shardCount: 1, leaseMs: LEASE_MS };
  return {
    clock,
    telemetry,
    store,
    join: (given: Partial<ShardPlace>) =>
      joinLayout({ store, clock, telemetry }, { ...place, ...given }),
    /** @returns whether the lease was free. */
    acquire: async (shard: string, owner: string): Promise<boolean> => {
      const lease = { shard, owner, expiresAt: clock.now() + LEASE_MS };
      return (await store.acquireLease(lease, clock.now())) !== undefined;
    },
  };
}

it('A poller with the number of shards that the table has takes part, and changes nothing', async () => {
  const { join, telemetry } = openTable();
  expect(await join({ shardCount: 1 })).toEqual({ generation: 0, shardCount: 1 });
  expect(telemetry.logs).toEqual([]);
});

it('Leases of a generation have names of their own, and the first has those of a table without shards', () => {
  expect(leaseName({ generation: 0, shardCount: 1 }, 0)).toBe('0');
  expect(leaseName({ generation: 3, shardCount: 4 }, 2)).toBe('3.2');
});

it('Shard 0 begins the next generation; others wait for it', async () => {
  const { join, telemetry } = openTable();
  expect(await join({ shard: 1, shardCount: 2 })).toBeUndefined();
  expect(await join({ shard: 0, shardCount: 2 })).toEqual({ generation: 1, shardCount: 2 });
  expect(await join({ shard: 1, shardCount: 2 })).toEqual({ generation: 1, shardCount: 2 });
  const fields = { from: 1, to: 2 };
  expect(telemetry.logs).toMatchObject([
    {
      message: 'The number of shards changes; this run waits for others to end',
      fields: { shard: 1, ...fields },
    },
    { message: 'The number of shards has changed', fields: { shard: 0, ...fields } },
  ]);
});

it('A new generation waits until no lease of the old one is held, and none is acquired meanwhile', async () => {
  const { join, acquire, store, clock } = openTable();
  await join({ shardCount: 2 });
  expect(await acquire('1.1', 'old')).toBe(true);
  expect(await join({ shardCount: 4 })).toBeUndefined();
  expect(await acquire('1.0', 'late')).toBe(false);
  expect(await join({ shardCount: 2, shard: 1 })).toBeUndefined();
  clock.advance(LEASE_MS - 1);
  expect(await join({ shardCount: 4 })).toBeUndefined();
  await store.releaseLease({ shard: '1.1', owner: 'old', expiresAt: 0 });
  expect(await join({ shardCount: 4 })).toEqual({ generation: 2, shardCount: 4 });
  expect(await acquire('1.1', 'old')).toBe(false);
});

it('A change that is taken back half-way ends in a new generation: its leases are closed', async () => {
  const { join, acquire, clock } = openTable();
  expect(await acquire('0', 'old')).toBe(true);
  expect(await join({ shardCount: 2 })).toBeUndefined();
  clock.advance(LEASE_MS + 1);
  expect(await join({ shardCount: 1 })).toEqual({ generation: 1, shardCount: 1 });
  expect(await acquire('1.0', 'new')).toBe(true);
});

it('Of two runs that change the layout at once, one does', async () => {
  const { join, store } = openTable();
  const joined = await Promise.all([join({ shardCount: 2 }), join({ shardCount: 4 })]);
  expect(joined.filter(Boolean)).toEqual([await store.loadLayout()]);
});

it('A new generation knows the last notes of the one before', async () => {
  const { join, acquire, store } = openTable();
  await acquire('0', 'old');
  await store.releaseLease({ shard: '0', owner: 'old', expiresAt: 0, note: 'known' });
  expect(await join({ shardCount: 2 })).toMatchObject({ generation: 1, notes: ['known'] });
  expect(await store.loadLayout()).toMatchObject({ generation: 1, notes: ['known'] });
});

it('Notes that are too long for the item of the layout are dropped, the oldest first', async () => {
  const { join, acquire, store } = openTable();
  /** Changes the number of shards, of which so many have runs. @returns the notes that the new ones know. */
  const changeTo = async (shardCount: number, runs: number): Promise<readonly string[]> => {
    const { generation, notes = [] } = (await join({ shardCount })) ?? {};
    for (let shard = 0; shard < runs; shard += 1) {
      const lease = { shard: `${generation}.${shard}`, owner: 'run' };
      expect(await acquire(lease.shard, lease.owner)).toBe(true);
      // 120,000 characters of JSON.
      const note = lease.shard.padEnd(60_000, '"');
      await store.releaseLease({ ...lease, expiresAt: 0, note });
    }
    return notes.map((note) => note.slice(0, 3));
  };
  expect(await changeTo(2, 2)).toEqual([]);
  expect(await changeTo(4, 4)).toEqual(['1.0', '1.1']);
  expect(await changeTo(2, 1)).toEqual(['2.2', '2.3']);
  expect(await changeTo(4, 1)).toEqual(['2.3', '3.0']);
  expect(await changeTo(2, 0)).toEqual(['3.0', '4.0']);
});
