import { beforeEach, describe, expect, it } from 'vitest';
import {
  MAX_CLOCK_DIFFERENCE_MS,
  type Lease,
  type StateStore,
} from '../../../functions/core/ports/state-store.ts';

/** The layout of shards of a {@link StateStore}. */
export function describeLayout(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('the layout', () => {
    const first = { generation: 0, shardCount: 1 };
    const second = { generation: 1, shardCount: 4 };

    it('is one shard at first', async () => {
      expect(await store.loadLayout(1)).toEqual(first);
    });

    it('is replaced, and known to those that expect another number of shards', async () => {
      expect(await store.saveLayout({ ...first, isClosing: true }, 0)).toBe(true);
      expect(await store.loadLayout(1)).toEqual({ ...first, isClosing: true });
      expect(await store.saveLayout(second, 0)).toBe(true);
      expect(await store.loadLayout(1)).toEqual(second);
      expect(await store.loadLayout(4)).toEqual(second);
    });

    it('is left if it is of another generation than the one to replace', async () => {
      expect(await store.saveLayout(second, 0)).toBe(true);
      for (const generation of [0, 2]) {
        expect(await store.saveLayout({ generation: 3, shardCount: 2 }, generation)).toBe(false);
      }
      expect(await store.loadLayout(2)).toEqual(second);
    });

    it('is read again after a lease was refused', async () => {
      const other = { shard: '0', owner: 'run-1', expiresAt: 9_000 };
      await store.loadLayout(1);
      await store.closeLease(other, 0);
      await store.saveLayout({ generation: 2, shardCount: 1 }, 0);
      expect(await store.acquireLease(other, 0)).toBeUndefined();
      expect(await store.loadLayout(1)).toEqual({ generation: 2, shardCount: 1 });
    });
  });

  describe('a closed lease', () => {
    const ours: Lease = { shard: 's1', owner: 'run-1', expiresAt: 1_000 };
    const theirs: Lease = { shard: 's1', owner: 'run-2', expiresAt: 5_000 };

    it('is acquired by nobody again', async () => {
      expect(await store.closeLease(theirs, 0)).toEqual({});
      expect(await store.acquireLease(ours, 0)).toBeUndefined();
      expect(await store.acquireLease({ ...ours, expiresAt: 9e9 }, 8e9)).toBeUndefined();
      expect(await store.acquireLease({ ...ours, shard: 's2' }, 0)).toBeDefined();
    });

    it('tells the last note once nobody holds it', async () => {
      await store.acquireLease(ours, 0);
      expect(await store.closeLease(theirs, 999)).toBeUndefined();
      await store.releaseLease({ ...ours, note: 'last' });
      expect(await store.closeLease(theirs, 999)).toEqual({ note: 'last' });
    });

    it('can be read as it was held', async () => {
      expect(await store.loadLease(ours.shard)).toBeUndefined();
      await store.acquireLease(ours, 0);
      await store.renewLease({ ...ours, note: 'known' });
      expect(await store.loadLease(ours.shard)).toEqual({ ...ours, note: 'known' });
    });

    it('is held by its run until it is released', async () => {
      await store.acquireLease(ours, 0);
      expect(await store.closeLease(theirs, 999)).toBeUndefined();
      expect(await store.acquireLease(ours, 999)).toBeUndefined();
      await store.renewLease({ ...ours, expiresAt: 2_000 });
      expect(await store.closeLease(theirs, 1_999)).toBeUndefined();
      await store.releaseLease(ours);
      expect(await store.closeLease(theirs, 1_999)).toEqual({});
      expect(await store.closeLease(theirs, 1_999)).toEqual({});
    });

    it.each([
      ['has expired', ours],
      ['is void', { ...ours, expiresAt: theirs.expiresAt + MAX_CLOCK_DIFFERENCE_MS + 1 }],
    ])('is not renewed once it %s', async (_, lease) => {
      await store.acquireLease(lease, 0);
      expect(await store.closeLease(theirs, 1_001)).toEqual({});
      await expect(store.renewLease({ ...lease, expiresAt: 9_000 })).rejects.toThrow();
    });
  });
}
