import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatedStore } from '../../../functions/control/ports.ts';
import { FeedConflictError } from '../../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, feedPartition, type Feed } from '../../../functions/core/model/feed.ts';
import { anyOf, timestamp } from '../../support/arbitraries.ts';
import { feedOf } from '../../support/samples.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, i) => i);

/** Feeds of a {@link OperatedStore}. */
export function describeFeeds(open: () => Promise<OperatedStore>): void {
  let store: OperatedStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('feeds', () => {
    it('are loaded with every field as it was added', async () => {
      await fc.assert(
        fc.asyncProperty(anyFeed, async (feed) => {
          await store.addFeeds([feed]);
          const loaded = await store.loadFeeds([feedPartition(feed)]);
          expect(loaded.find(({ id }) => id === feed.id)).toEqual(feed);
        }),
        { numRuns: 20 },
      );
    });

    it('are loaded once, from their own partition only', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const own = feedPartition(feed);
      expect(await store.loadFeeds([own, own])).toEqual([feed]);
      expect(await store.loadFeeds(ALL_PARTITIONS.filter((p) => p !== own))).toEqual([]);
    });

    it('are not replaced by adding them again', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const committed = await store.commitFeed({ ...feed, cursor: '2024-01-01T00:00:00.000Z' });
      const existing = await store.addFeeds([feed, feedOf({ projectId: 'p8' })]);
      expect(existing).toEqual([feed.id]);
      const loaded = await store.loadFeeds(ALL_PARTITIONS);
      expect(loaded).toHaveLength(2);
      expect(loaded).toContainEqual(committed);
    });

    it('are committed with the next revision', async () => {
      const feed = feedOf({ projectId: 'p7', phase: 'baseline' });
      await store.addFeeds([feed]);
      const next: Feed = { ...feed, phase: 'live', cursor: '2024-01-01T00:00:00.000Z' };
      const committed = await store.commitFeed(next);
      expect(committed).toEqual({ ...next, revision: feed.revision + 1 });
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([committed]);
    });

    it('lose the properties that a commit leaves out', async () => {
      const feed = feedOf({ projectId: 'p7', parked: { until: 7 } });
      await store.addFeeds([feed]);
      const { parked, ...rest } = feed;
      const committed = await store.commitFeed(rest);
      const [loaded] = await store.loadFeeds(ALL_PARTITIONS);
      expect(loaded).toEqual(committed);
      expect(loaded).not.toHaveProperty('parked');
    });

    it('are not committed from a stale revision or when absent; the error names the feed', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const first = await store.commitFeed(feed);
      await expect(store.commitFeed(feed)).rejects.toThrow(FeedConflictError);
      const committed = await store.commitFeed({ ...first, cursor: '2024-01-01T00:00:00.000Z' });
      expect(committed.revision).toBe(feed.revision + 2);
      const stale = store.commitFeed({ ...feed, cursor: '2030-01-01T00:00:00.000Z' });
      await expect(stale).rejects.toThrow(FeedConflictError);
      await expect(stale).rejects.toThrow(feed.id);
      await expect(stale).rejects.toHaveProperty('hint', expect.stringMatching(/./));
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([committed]);
      const absent = store.commitFeed(feedOf({ projectId: 'p8' }));
      await expect(absent).rejects.toThrow(FeedConflictError);
    });

    it('are committed by exactly one of several concurrent commits', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const commits = Array.from({ length: 5 }, () => store.commitFeed(feed));
      const results = await Promise.allSettled(commits);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });
}

const anyFeed = anyOf<Feed>(
  {
    id: fc.oneof(
      fc.uuid().map((id) => `projects/${id}/floorplans`),
      fc.uuid().map((id) => `additional/${id}/deep/lists`),
      fc.uuid(),
    ),
    projectId: fc.uuid(),
    accountId: fc.nat().map(String),
    phase: fc.constantFrom('baseline', 'live'),
    parked: fc.record({ until: fc.nat() }),
    paused: fc.constant(true),
    job: fc.record({ name: fc.constant('replay' as const), id: fc.string(), since: timestamp }),
    cursor: timestamp,
    digest: fc.constant('0123456789abcdef'),
    baselineAt: timestamp,
    wait: fc.record(
      {
        until: fc.nat(),
        failures: fc.nat(),
        cause: fc.string(),
        since: fc.nat(),
        isRefused: fc.constant(true),
      },
      { requiredKeys: ['until', 'failures', 'cause', 'since'] },
    ),
    pageSize: fc.nat(),
    saturatedAt: timestamp,
    lastChange: fc.nat(),
    recentChanges: fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Number),
    revision: fc.nat(),
  },
  ['id', 'phase', 'revision'],
);
