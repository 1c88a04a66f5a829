import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatedStore } from '../../../functions/control/ports.ts';
import type { Lease } from '../../../functions/core/ports/state-store.ts';

/** Leases of a {@link OperatedStore}. */
export function describeLease(open: () => Promise<OperatedStore>): void {
  let store: OperatedStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('the lease', () => {
    const ours: Lease = { partitions: [1, 5], owner: 'run-1', until: 1_000 };
    const theirs: Lease = { partitions: [5, 6], owner: 'run-2', until: 5_000 };

    it('is not given while another run has one of its partitions', async () => {
      expect(await store.takeLease(ours, 0)).toBe(true);
      expect(await store.takeLease(theirs, 1_000)).toBe(false);
      expect(await store.takeLease({ ...theirs, partitions: [6] }, 999)).toBe(true);
    });

    it('goes to the next run once it has ended', async () => {
      await store.takeLease(ours, 0);
      expect(await store.takeLease(theirs, 1_001)).toBe(true);
      expect(await store.takeLease({ ...ours, until: 9_000 }, 2_000)).toBe(false);
    });

    it('is given again to its owner', async () => {
      await store.takeLease(ours, 0);
      expect(await store.takeLease({ ...ours, until: 3_000 }, 500)).toBe(true);
      expect(await store.takeLease(theirs, 2_000)).toBe(false);
    });

    it('is free once it is freed', async () => {
      await store.takeLease(ours, 0);
      await store.freeLease(ours);
      await store.freeLease(ours);
      expect(await store.takeLease(theirs, 1)).toBe(true);
    });

    it('is not freed by a run that lost it, or never had it', async () => {
      await expect(store.freeLease(ours)).resolves.toBeUndefined();
      await store.takeLease(ours, 0);
      await store.takeLease(theirs, 1_001);
      await store.freeLease(ours);
      expect(await store.takeLease({ ...ours, until: 9_000 }, 2_000)).toBe(false);
    });

    it('shows until when partitions are taken, until it is freed', async () => {
      expect(await store.loadLeases()).toEqual(new Map());
      await store.takeLease(ours, 0);
      const other = { ...theirs, partitions: [6] };
      await store.takeLease(other, 0);
      const ends: [number, number][] = [
        [1, 1_000],
        [5, 1_000],
      ];
      expect(await store.loadLeases()).toEqual(new Map([...ends, [6, 5_000]]));
      await store.freeLease(other);
      expect(await store.loadLeases()).toEqual(new Map(ends));
    });

    it('goes to exactly one of many runs that ask concurrently', async () => {
      const runs = Array.from({ length: 8 }, (_, i) => ({ ...ours, owner: `run-${i}` }));
      const isTaken = await Promise.all(runs.map((lease) => store.takeLease(lease, 0)));
      expect(isTaken.filter(Boolean)).toHaveLength(1);
    });
  });
}
