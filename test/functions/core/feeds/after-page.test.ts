import { describe, expect, it } from 'vitest';
import { afterPage, type PageResult } from '../../../../functions/core/feeds/after-page.ts';
import { afterFailure } from '../../../../functions/core/feeds/health.ts';
import {
  FEED_PARTITIONS,
  feedPartition,
  feedPath,
  newFeed,
  resourceOf,
  type Feed,
} from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../../support/list-service.ts';

const catalog = makeCatalog();
const [floorplans = catalog.projects] = catalog.perProject;
const feed: Feed = {
  ...newFeed(floorplans, 'live', { id: 'p1', accountId: '7' }),
  cursor: timeAt(1),
};

describe('a feed', () => {
  it('is named after the path of its list', () => {
    expect(feed.id).toBe('projects/p1/floorplans');
    expect(newFeed(catalog.projects, 'baseline').id).toBe('projects');
    expect(feedPath(floorplans, 'a:b')).toBe('/projects/a%3Ab/floorplans');
  });

  it('has no resource once config has removed it', () => {
    expect(resourceOf(catalog, feed)).toBe(floorplans);
    expect(resourceOf(catalog, { ...feed, id: 'projects/p1/tasks' })).toBeUndefined();
  });

  const page: PageResult = {
    cursor: timeAt(1),
    lookbackCursor: timeAt(1),
    isLast: true,
    isCaughtUp: false,
    isNews: false,
    lookbackMs: 60_000,
  };

  it('knows when its last change was, by our clock', () => {
    const news = { ...page, isNews: true, changeCount: 1 };
    expect(afterPage(feed, { ...news, changedAt: 3000 }, 5000).lastChange).toBe(3000);
    expect(afterPage(feed, news, 5000).lastChange).toBe(5000);
  });

  it('of the projects knows when its baseline was read, less the lookback; one of a project does not', () => {
    const read = { ...page, readAfter: timeAt(90) };
    const baseline = newFeed(catalog.projects, 'baseline');
    expect(afterPage(baseline, read, 5)).toMatchObject({ phase: 'live', baselineAt: timeAt(30) });
    const ofProject = afterPage({ ...feed, phase: 'baseline' }, read, 5);
    expect(ofProject.phase).toBe('live');
    expect(ofProject).not.toHaveProperty('baselineAt');
  });

  it('is silent about what changed before the first page of its baseline was read at the latest', () => {
    const first = { ...page, isLast: false, readAfter: timeAt(20), readBefore: timeAt(90) };
    const begun = afterPage(newFeed(floorplans, 'baseline'), first, 5);
    expect(begun.silentUntil).toBe(timeAt(90));
    const later = { ...first, readAfter: timeAt(200), readBefore: timeAt(210) };
    expect(afterPage(begun, later, 5).silentUntil).toBe(timeAt(90));
  });

  it('forgets its failures with the first page that brings news', () => {
    const failing = afterFailure(feed, new Error('away'), { now: 0, hasRead: true });
    const further = { cursor: timeAt(2), lookbackMs: 60_000 };
    const done = { ...page, cursor: timeAt(2), isLast: false };
    expect(afterPage(failing, { ...done, isNews: true }, 5)).toEqual({ ...feed, ...further });
    expect(afterPage(failing, done, 5)).toEqual({ ...failing, ...further });
  });

  it('is unchanged after a last page without news, until its list is caught up', () => {
    const done = { ...page, cursor: timeAt(2) };
    expect(afterPage(feed, done, 5)).toStrictEqual(feed);
    const caughtUp = { ...feed, cursor: timeAt(2), lookbackMs: 60_000, digest: 'd' };
    const last = { ...done, isCaughtUp: true, digest: 'd' };
    expect(afterPage(feed, last, 5)).toEqual(caughtUp);
    const { digest: _, ...without } = caughtUp;
    expect(afterPage(caughtUp, { ...last, digest: undefined }, 5)).toEqual(without);
  });

  it('takes the lookback cursor after a last page with news, and is not caught up', () => {
    const news = { ...page, cursor: timeAt(9), lookbackCursor: timeAt(5), isNews: true };
    const further = { ...feed, cursor: timeAt(5), lookbackMs: 60_000 };
    expect(afterPage(feed, { ...news, isCaughtUp: true }, 5)).toEqual(further);
    expect(afterPage(feed, { ...news, isLast: false }, 5).cursor).toBe(timeAt(9));
  });

  it('has a cursor after its first page, also without news', () => {
    const { cursor: _, ...fresh } = feed;
    expect(afterPage(fresh, { ...page, cursor: timeAt(2) }, 5).cursor).toBe(timeAt(2));
    const { cursor: _none, ...nowhere } = page;
    expect(afterPage(fresh, nowhere, 5)).toStrictEqual(fresh);
  });

  it('has a larger lookback only once its cursor moves or its list is caught up', () => {
    const earlier = { ...feed, lookbackMs: 10_000 };
    const done = { ...page, isNews: true };
    expect(afterPage(earlier, { ...done, isLast: false }, 5).lookbackMs).toBe(10_000);
    expect(afterPage(earlier, { ...done, lookbackCursor: timeAt(2) }, 5).lookbackMs).toBe(60_000);
    expect(afterPage(earlier, { ...page, isCaughtUp: true }, 5).lookbackMs).toBe(60_000);
  });

  it('has a part of a larger lookback once a page before its cursor has covered it', () => {
    const earlier = { ...feed, lookbackMs: 10_000 };
    const covered = { ...page, isLast: false, coveredLookbackMs: 20_000 };
    expect(afterPage(earlier, covered, 5)).toEqual({ ...feed, lookbackMs: 20_000 });
    expect(afterPage(earlier, { ...covered, cursor: timeAt(2) }, 5).lookbackMs).toBe(60_000);
    // It is read again, and a last page without changes is not written.
    expect(afterPage(earlier, { ...covered, isLast: true }, 5)).toEqual(earlier);
  });

  it('may have larger pages again with each page that has news and was not slow', () => {
    const slow = { ...feed, slowPolls: 2 };
    const news = { ...page, isLast: false, isNews: true, cursor: timeAt(2) };
    expect(afterPage(slow, news, 5).slowPolls).toBe(1);
    expect(afterPage({ ...slow, slowPolls: 1 }, news, 5)).not.toHaveProperty('slowPolls');
    expect(afterPage(slow, { ...news, isSlowed: true }, 5).slowPolls).toBe(2);
    // The next poll has requests for more pages then.
    expect(afterPage(slow, { ...news, isSlowed: true, isNews: false }, 5).slowPolls).toBe(3);
    // Without a Date the cursor moves on with time, in front of a tie that is too slow.
    expect(afterPage(slow, { ...news, isNews: false }, 5).slowPolls).toBe(2);
    expect(afterPage(slow, page, 5)).not.toHaveProperty('slowPolls');
  });

  it('has the digest of its last page alone', () => {
    expect(afterPage({ ...feed, digest: 'd' }, page, 5)).toEqual(feed);
    expect(afterPage(feed, { ...page, digest: 'd' }, 5)).toEqual({ ...feed, digest: 'd' });
  });

  it('ends its baseline with the last page and not before', () => {
    const baseline: Feed = { ...feed, phase: 'baseline' };
    expect(afterPage(baseline, { ...page, isLast: false }, 0).phase).toBe('baseline');
    expect(afterPage(baseline, page, 0)).toMatchObject({ phase: 'live', cursor: timeAt(1) });
  });
});

describe('the partition of a feed', () => {
  it('is the same for all lists of a project', () => {
    const lists = catalog.perProject.map((resource) => newFeed(resource, 'live', { id: 'p1' }));
    expect(new Set(lists.map(feedPartition)).size).toBe(1);
  });

  it('never changes, since stored items lie in it', () => {
    const ids = ['', 'p1', '7d4f6a51-0000-4000-8000-000000000001', 'Grundriß'];
    expect(ids.map((projectId) => feedPartition({ projectId }))).toEqual([5, 10, 4, 2]);
    expect(feedPartition({})).toBe(0);
  });

  it('spreads projects over all partitions', () => {
    const counts = new Array<number>(FEED_PARTITIONS).fill(0);
    for (let i = 0; i < 16_000; i += 1) {
      const partition = feedPartition({ projectId: `project-${i}` });
      counts[partition] = (counts[partition] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1200);
  });
});
