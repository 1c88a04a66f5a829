import { beforeEach, describe, expect, it } from 'vitest';
import { FEED_PARTITIONS, feedPartition } from '../../../functions/core/model/feed.ts';
import { noCounts, type ReconcileReport } from '../../../functions/core/model/reconcile-report.ts';
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
      expect(await store.loadShard(ALL_PARTITIONS)).toEqual({
        feeds: [],
        commands: [],
        reports: [],
      });
    });

    it('has all feeds of its partitions as committed', async () => {
      const [first = feedOf({ projectId: 'p0' })] = feeds;
      await store.addFeeds(feeds);
      const committed = await store.commitFeed({ ...first, lastChange: 5000, recentChanges: 1.25 });
      const shard = await store.loadShard(ALL_PARTITIONS);
      expect(shard.feeds.map(({ id }) => id).sort()).toEqual(feeds.map(({ id }) => id).sort());
      expect((await store.loadShard([feedPartition(first)])).feeds).toContainEqual(committed);
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

    it('has the commands of its partitions by their ids, as they were last saved, until they are deleted', async () => {
      const placed = (partition: number, id: string, force?: true) => {
        const name = 'reconcile' as const;
        return {
          partition,
          command: { id, name, scope: { resource: 'floorplans' }, ...(force && { force }) },
        };
      };
      await store.saveCommands([placed(3, 'b'), placed(3, 'a'), placed(4, 'a')]);
      await store.saveCommands([placed(3, 'a', true)]);
      const { feeds: none, commands } = await store.loadShard([3, 5]);
      expect([none, commands]).toEqual([[], [placed(3, 'a', true), placed(3, 'b')]]);
      expect(await store.loadCommands([4])).toEqual([placed(4, 'a')]);
      const progress = { feedId: 'projects', position: 'project#1', counts: { lists: 2 } };
      expect(await store.saveProgress({ ...placed(3, 'b'), progress })).toBe(true);
      expect(await store.loadCommands([3])).toEqual([
        placed(3, 'a', true),
        { ...placed(3, 'b'), progress },
      ]);
      await store.saveCommands([placed(3, 'b')]);
      await store.deleteCommands([placed(3, 'a'), placed(4, 'a')]);
      expect(await store.saveProgress({ ...placed(3, 'a'), progress })).toBe(false);
      expect(await store.loadCommands(ALL_PARTITIONS)).toEqual([placed(3, 'b')]);
    });

    it('shows at least one of two commands that are placed together the other one', async () => {
      const place = async (id: string): Promise<number> => {
        const command = { id, name: 'reconcile', scope: {} } as const;
        await store.saveCommands(ALL_PARTITIONS.map((partition) => ({ partition, command })));
        const placed = await store.loadCommands(ALL_PARTITIONS);
        return new Set(placed.map((each) => each.command.id)).size;
      };
      const seen = await Promise.all([place('a'), place('b')]);
      expect(Math.max(...seen)).toBe(2);
    });

    it('has the last report of each of its partitions', async () => {
      const report = (partition: number, commandId: string): ReconcileReport => ({
        ...{ partition, commandId, finishedAt: '2024-01-01T00:00:00.000Z' },
        ...{ counts: noCounts(), problems: [] },
      });
      for (const each of [report(3, 'a'), report(4, 'a'), report(3, 'b')])
        await store.saveReport(each);
      expect((await store.loadShard([3, 5])).reports).toEqual([report(3, 'b')]);
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([]);
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
