import { beforeEach, describe, expect, it } from 'vitest';
import { FEED_PARTITIONS, feedPartition } from '../../../functions/core/model/feed.ts';
import { type StateStore } from '../../../functions/core/ports/state-store.ts';
import { feedOf } from '../../support/samples.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, i) => i);

/** Shards of a {@link StateStore} as a run loads them. */
export function describeShard(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('a shard', () => {
    const feeds = Array.from({ length: 40 }, (_, i) => feedOf({ projectId: `p${i}` }));

    it('is empty at first', async () => {
      expect(await store.loadShard(ALL_PARTITIONS)).toEqual({ feeds: [] });
    });

    it('has all feeds of its partitions as committed, and its poll history', async () => {
      const [first = feedOf({ projectId: 'p0' })] = feeds;
      await store.addFeeds(feeds);
      const committed = await store.commitFeed({ ...first, lastChange: 5000, recentChanges: 1.25 });
      await store.savePollHistory(ALL_PARTITIONS, new Uint8Array([3, 1, 2]));
      const shard = await store.loadShard(ALL_PARTITIONS);
      expect(shard.feeds.map(({ id }) => id).sort()).toEqual(feeds.map(({ id }) => id).sort());
      expect([...(shard.pollHistory ?? [])]).toEqual([3, 1, 2]);
      expect((await store.loadShard([feedPartition(first)])).feeds).toContainEqual(committed);
    });

    it('does not take its poll history for a feed', async () => {
      await store.savePollHistory(ALL_PARTITIONS, new Uint8Array([1]));
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([]);
      expect((await store.loadShard(ALL_PARTITIONS)).feeds).toEqual([]);
    });

    it('has the latest poll history, however large it was before', async () => {
      for (const bytes of [1_500_000, 10, 900_000]) {
        const incompressible = Uint8Array.from(
          { length: bytes },
          (_, i) => (Math.imul(i + bytes, 0x9e3779b1) >>> 24) ^ (i % 251),
        );
        await store.savePollHistory(ALL_PARTITIONS, incompressible);
        const { pollHistory } = await store.loadShard(ALL_PARTITIONS);
        expect(Buffer.compare(pollHistory ?? new Uint8Array(), incompressible)).toBe(0);
      }
    });

    it('has a poll history of its own', async () => {
      await store.savePollHistory([0, 1], new Uint8Array([1]));
      await store.savePollHistory([2, 3], new Uint8Array([2]));
      expect([...((await store.loadShard([0, 1])).pollHistory ?? [])]).toEqual([1]);
      expect([...((await store.loadShard([2, 3])).pollHistory ?? [])]).toEqual([2]);
      expect((await store.loadShard([4])).pollHistory).toBeUndefined();
    });
  });
}
