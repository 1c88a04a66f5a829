import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { FeedConflictError } from '../../../functions/core/model/errors.ts';
import { FEED_PARTITIONS, feedPartition, type Feed } from '../../../functions/core/model/feed.ts';
import { anyOf, timestamp } from '../../support/arbitraries.ts';
import { feedOf } from '../../support/samples.ts';
import { type StateStore } from '../../../functions/core/ports/state-store.ts';

const ALL_PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, i) => i);

/** What a {@link StateStore} must do with feeds. */
export function describeFeeds(open: () => Promise<StateStore>): void {
  let store: StateStore;

  beforeEach(async () => {
    store = await open();
  });

  describe('feeds', () => {
    test('an empty store has none', async () => {
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([]);
    });

    test('every field of a feed comes back as it was', async () => {
      await fc.assert(
        fc.asyncProperty(anyFeed, async (feed) => {
          await store.addFeeds([feed]);
          const loaded = await store.loadFeeds([feedPartition(feed)]);
          expect(loaded.find(({ id }) => id === feed.id)).toEqual(feed);
        }),
        { numRuns: 100 },
      );
    });

    test('a feed is found in its own partition only', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const own = feedPartition(feed);
      expect(await store.loadFeeds([own])).toEqual([feed]);
      expect(await store.loadFeeds(ALL_PARTITIONS.filter((p) => p !== own))).toEqual([]);
    });

    test('a partition asked for twice gives its feeds once', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const own = feedPartition(feed);
      expect(await store.loadFeeds([own, own])).toEqual([feed]);
    });

    test('many feeds are loaded from all partitions', async () => {
      const feeds = Array.from({ length: 200 }, (_, i) => feedOf({ projectId: `p${i}` }));
      await store.addFeeds(feeds);
      const loaded = await store.loadFeeds(ALL_PARTITIONS);
      expect(idsOf(loaded)).toEqual(idsOf(feeds));
    });

    test('a feed that is there already is left as it is', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const committed = await store.commitFeed({ ...feed, cursor: '2024-01-01T00:00:00.000Z' });
      const there = await store.addFeeds([feed, feedOf({ projectId: 'p8' })]);
      expect(there).toEqual([feed.id]);
      const loaded = await store.loadFeeds(ALL_PARTITIONS);
      expect(loaded).toHaveLength(2);
      expect(loaded).toContainEqual(committed);
    });

    test('a commit stores the feed with the next revision', async () => {
      const feed = feedOf({ projectId: 'p7', phase: 'baseline' });
      await store.addFeeds([feed]);
      const next: Feed = { ...feed, phase: 'live', cursor: '2024-01-01T00:00:00.000Z' };
      const committed = await store.commitFeed(next);
      expect(committed).toEqual({ ...next, revision: feed.revision + 1 });
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([committed]);
    });

    test('a commit takes away what the feed no longer has', async () => {
      const feed = feedOf({ projectId: 'p7', parked: 'refused', failures: 3, notBefore: 5 });
      await store.addFeeds([feed]);
      const { parked, ...rest } = feed;
      const committed = await store.commitFeed({ ...rest, failures: 0, notBefore: 0 });
      const [loaded] = await store.loadFeeds(ALL_PARTITIONS);
      expect(loaded).toEqual(committed);
      expect(loaded).not.toHaveProperty('parked');
    });

    test('commits that build on each other are accepted', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const third = await store.commitFeed(await store.commitFeed(await store.commitFeed(feed)));
      expect(third.revision).toBe(feed.revision + 3);
    });

    test('a commit from a stale revision is refused, names the feed and changes nothing', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const committed = await store.commitFeed({ ...feed, cursor: '2024-01-01T00:00:00.000Z' });
      const stale = store.commitFeed({ ...feed, cursor: '2030-01-01T00:00:00.000Z' });
      await expect(stale).rejects.toThrow(FeedConflictError);
      await expect(stale).rejects.toThrow(feed.id);
      await expect(stale).rejects.toHaveProperty('hint', expect.stringMatching(/./));
      expect(await store.loadFeeds(ALL_PARTITIONS)).toEqual([committed]);
    });

    test('the same commit made twice is refused the second time', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      await store.commitFeed(feed);
      await expect(store.commitFeed(feed)).rejects.toThrow(FeedConflictError);
    });

    test('of several commits at once exactly one is accepted', async () => {
      const feed = feedOf({ projectId: 'p7' });
      await store.addFeeds([feed]);
      const commits = Array.from({ length: 5 }, () => store.commitFeed(feed));
      const results = await Promise.allSettled(commits);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    test('a commit of a feed that is not there is refused', async () => {
      await expect(store.commitFeed(feedOf({ projectId: 'p7' }))).rejects.toThrow(
        FeedConflictError,
      );
    });
  });
}

const anyFeed = anyOf<Feed>(
  {
    id: fc.oneof(
      fc.uuid().map((id) => `projects/${id}/floorplans`),
      fc.uuid().map((id) => `further/${id}/deep/lists`),
      fc.uuid(),
    ),
    projectId: fc.uuid(),
    accountId: fc.nat().map(String),
    phase: fc.constantFrom('baseline', 'live'),
    parked: fc.constantFrom('project-deleted', 'refused'),
    cursor: timestamp,
    lookbackMs: fc.nat(),
    boundary: fc.constant('0123456789abcdef'),
    knownPaths: fc.array(fc.string()),
    failures: fc.nat(),
    notBefore: fc.nat(),
    lastChange: fc.nat(),
    recentChanges: fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Number),
    revision: fc.nat(),
  },
  ['id', 'phase', 'failures', 'notBefore', 'revision'],
);

function idsOf(feeds: readonly Feed[]): string[] {
  return feeds.map(({ id }) => id).sort();
}
