import { beforeEach, describe, expect, test } from 'vitest';
import { LeaseLostError } from '../../../functions/core/model/errors.ts';
import { type Lease, type StateStore } from '../../../functions/core/ports/state-store.ts';

/** What a {@link StateStore} must do with leases. */
export function describeLease(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('the lease', () => {
    const mine: Lease = { shard: 's1', owner: 'run-1', expiresAt: 1_000 };
    const theirs: Lease = { shard: 's1', owner: 'run-2', expiresAt: 5_000 };

    test('a free shard is leased', async () => {
      expect(await store.acquireLease(mine, 0)).toBe(true);
    });

    test('a shard that another run holds is not leased', async () => {
      await store.acquireLease(mine, 0);
      expect(await store.acquireLease(theirs, 999)).toBe(false);
      await store.renewLease({ ...mine, expiresAt: 2_000 });
    });

    test('a lease that has ended goes to the next run, and its old owner cannot renew it', async () => {
      await store.acquireLease(mine, 0);
      expect(await store.acquireLease(theirs, 1_001)).toBe(true);
      await expect(store.renewLease({ ...mine, expiresAt: 9_000 })).rejects.toThrow(LeaseLostError);
    });

    test('a run may acquire again what it holds', async () => {
      await store.acquireLease(mine, 0);
      expect(await store.acquireLease({ ...mine, expiresAt: 3_000 }, 500)).toBe(true);
      expect(await store.acquireLease(theirs, 2_000)).toBe(false);
    });

    test('a renewed lease lasts until the new time', async () => {
      await store.acquireLease(mine, 0);
      await store.renewLease({ ...mine, expiresAt: 3_000 });
      expect(await store.acquireLease(theirs, 2_999)).toBe(false);
      expect(await store.acquireLease(theirs, 3_001)).toBe(true);
    });

    test('a released shard is free at once', async () => {
      await store.acquireLease(mine, 0);
      await store.releaseLease(mine);
      expect(await store.acquireLease(theirs, 1)).toBe(true);
    });

    test('releasing what another run took over does nothing', async () => {
      await store.acquireLease(mine, 0);
      await store.acquireLease(theirs, 1_001);
      await store.releaseLease(mine);
      expect(await store.acquireLease({ ...mine, expiresAt: 9_000 }, 2_000)).toBe(false);
    });

    test('releasing a shard that nobody holds does nothing', async () => {
      await expect(store.releaseLease(mine)).resolves.toBeUndefined();
    });

    test('renewing a lease that nobody holds is refused with shard and owner', async () => {
      await expect(store.renewLease(mine)).rejects.toThrow(/run-1.*s1/);
    });

    test('shards are leased each for itself', async () => {
      await store.acquireLease(mine, 0);
      expect(await store.acquireLease({ ...theirs, shard: 's2' }, 1)).toBe(true);
    });

    test('of many runs at once exactly one gets the lease', async () => {
      const runs = Array.from({ length: 8 }, (_, i) => ({ ...mine, owner: `run-${i}` }));
      const got = await Promise.all(runs.map((lease) => store.acquireLease(lease, 0)));
      expect(got.filter(Boolean)).toHaveLength(1);
    });
  });
}
