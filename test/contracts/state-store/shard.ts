import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatedStore } from '../../../functions/control/ports.ts';
import { FEED_PARTITIONS, feedPartition } from '../../../functions/core/model/feed.ts';
import { feedOf } from '../../support/samples.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, i) => i);

/** Shards of a {@link OperatedStore} as a run loads them. */
export function describeShard(open: () => Promise<OperatedStore>): void {
  let store: OperatedStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('a shard', () => {
    const feeds = Array.from({ length: 40 }, (_, i) => feedOf({ projectId: `p${i}` }));

    it('has all feeds of its partitions as committed', async () => {
      const [first = feedOf({ projectId: 'p0' })] = feeds;
      await store.addFeeds(feeds);
      const committed = await store.commitFeed({ ...first, lastChange: 5000, recentChanges: 1.25 });
      const shard = await store.loadShard(ALL_PARTITIONS);
      expect(shard.map(({ id }) => id).sort()).toEqual(feeds.map(({ id }) => id).sort());
      expect(await store.loadShard([feedPartition(first)])).toContainEqual(committed);
    });

    it('has feeds by their ids, as committed', async () => {
      const [first = feedOf({ projectId: 'p0' })] = feeds;
      await store.addFeeds(feeds);
      const committed = await store.commitFeed({ ...first, lastChange: 5000 });
      const found = await store.loadFeedsById([first, feedOf({ projectId: 'unknown' })]);
      expect(found).toEqual(new Map([[first.id, committed]]));
    });

    it('knows whether all lists are paused', async () => {
      expect(await store.loadAllPaused()).toBe(false);
      for (const isPaused of [true, false]) {
        await store.saveAllPaused(isPaused);
        expect(await store.loadAllPaused()).toBe(isPaused);
      }
    });

    it('has the latest poll history, however large it was before', async () => {
      for (const bytes of [900_000, 10, 500_000]) {
        const incompressible = new Uint8Array(bytes).map(
          (_, i) => (Math.imul(i + bytes, 0x9e3779b1) >>> 24) ^ (i % 251),
        );
        await store.savePollHistory(0, incompressible);
        const pollHistory = await store.loadPollHistory(0);
        expect(Buffer.compare(pollHistory ?? new Uint8Array(), incompressible)).toBe(0);
      }
    });

    it('has a poll history of its own', async () => {
      await store.savePollHistory(0, new Uint8Array([1]));
      await store.savePollHistory(1, new Uint8Array([2]));
      expect([...((await store.loadPollHistory(0)) ?? [])]).toEqual([1]);
      expect([...((await store.loadPollHistory(1)) ?? [])]).toEqual([2]);
      expect(await store.loadPollHistory(4)).toBeUndefined();
    });
  });
}
