import { beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError } from '../../../functions/core/model/errors.ts';
import {
  MAX_CLOCK_DIFFERENCE_MS,
  type Lease,
  type StateStore,
} from '../../../functions/core/ports/state-store.ts';

/** Leases of a {@link StateStore}. */
export function describeLease(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('the lease', () => {
    const ours: Lease = { shard: 's1', owner: 'run-1', expiresAt: 1_000 };
    const theirs: Lease = { shard: 's1', owner: 'run-2', expiresAt: 5_000 };

    it('is not acquired while another run holds it', async () => {
      expect(await store.acquireLease(ours, 0)).toBeDefined();
      expect(await store.acquireLease(theirs, 999)).toBeUndefined();
      await store.renewLease({ ...ours, expiresAt: 2_000 });
    });

    it('goes to the next run once expired, and its old owner cannot renew it', async () => {
      await store.acquireLease(ours, 0);
      expect(await store.acquireLease(theirs, 1_001)).toBeDefined();
      await expect(store.renewLease({ ...ours, expiresAt: 9_000 })).rejects.toThrow(LeaseLostError);
    });

    it('goes to the next run if its end is too far away for a clock that agrees with others', async () => {
      const latest = theirs.expiresAt + MAX_CLOCK_DIFFERENCE_MS;
      await store.acquireLease({ ...ours, expiresAt: latest }, 0);
      expect(await store.acquireLease(theirs, 0)).toBeUndefined();
      await store.renewLease({ ...ours, expiresAt: latest + 1 });
      expect(await store.acquireLease(theirs, 0)).toBeDefined();
    });

    it('is acquired again by its owner', async () => {
      await store.acquireLease(ours, 0);
      expect(await store.acquireLease({ ...ours, expiresAt: 3_000 }, 500)).toBeDefined();
      expect(await store.acquireLease(theirs, 2_000)).toBeUndefined();
    });

    it('lasts until the new time when renewed', async () => {
      await store.acquireLease(ours, 0);
      await store.renewLease({ ...ours, expiresAt: 3_000 });
      expect(await store.acquireLease(theirs, 2_999)).toBeUndefined();
      expect(await store.acquireLease(theirs, 3_001)).toBeDefined();
    });

    it('is free once released', async () => {
      await store.acquireLease(ours, 0);
      await store.releaseLease(ours);
      expect(await store.acquireLease(theirs, 1)).toBeDefined();
    });

    it('is not released by a run that lost it, or never had it', async () => {
      await expect(store.releaseLease(ours)).resolves.toBeUndefined();
      await store.acquireLease(ours, 0);
      await store.acquireLease(theirs, 1_001);
      await store.releaseLease(ours);
      expect(await store.acquireLease({ ...ours, expiresAt: 9_000 }, 2_000)).toBeUndefined();
    });

    it('cannot be renewed when nobody holds it; the error names shard and owner', async () => {
      await expect(store.renewLease(ours)).rejects.toThrow(/run-1.*s1/);
    });

    it('hands the note of its last owner to the next one', async () => {
      expect(await store.acquireLease(ours, 0)).toEqual({});
      await store.renewLease({ ...ours, note: 'renewed' });
      await store.renewLease(ours);
      expect(await store.acquireLease(theirs, 1_001)).toEqual({ note: 'renewed' });
      await store.releaseLease({ ...ours, note: 'too late' });
      await store.releaseLease({ ...theirs, note: 'released' });
      expect(await store.acquireLease(ours, 1_002)).toEqual({ note: 'released' });
      await store.releaseLease(ours);
      expect(await store.acquireLease(theirs, 1_003)).toEqual({ note: 'released' });
    });

    it('cannot be renewed after its release', async () => {
      await store.acquireLease(ours, 0);
      await store.releaseLease(ours);
      await expect(store.renewLease(ours)).rejects.toThrow(LeaseLostError);
    });

    it('covers one shard only', async () => {
      await store.acquireLease(ours, 0);
      expect(await store.acquireLease({ ...theirs, shard: 's2' }, 1)).toBeDefined();
    });

    it('goes to exactly one of many runs that ask concurrently', async () => {
      const runs = Array.from({ length: 8 }, (_, i) => ({ ...ours, owner: `run-${i}` }));
      const isAcquired = await Promise.all(runs.map((lease) => store.acquireLease(lease, 0)));
      expect(isAcquired.filter(Boolean)).toHaveLength(1);
    });
  });
}
