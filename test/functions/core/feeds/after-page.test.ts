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
    isLast: true,
    isNews: false,
    changeCount: 0,
    changedAt: 0,
    beganAt: timeAt(90),
  };

  it('knows when its last change was, by our clock', () => {
    const news = { ...page, isNews: true, changeCount: 1 };
    expect(afterPage(feed, { ...news, changedAt: 3000 }, 5000).lastChange).toBe(3000);
  });

  it('is silent about what changed before its baseline began', () => {
    const first = { ...page, isLast: false };
    const begun = afterPage(newFeed(floorplans, 'baseline'), first, 5);
    expect(begun.baselineAt).toBe(timeAt(90));
    const later = { ...first, beganAt: timeAt(200) };
    expect(afterPage(begun, later, 5).baselineAt).toBe(timeAt(90));
  });

  it('forgets its failures with the first page that brings news', () => {
    const failing = afterFailure(feed, new Error('away'), { now: 0, hasRead: true });
    const further = { cursor: timeAt(2) };
    const done = { ...page, cursor: timeAt(2), isLast: false };
    expect(afterPage(failing, { ...done, isNews: true }, 5)).toEqual({ ...feed, ...further });
    expect(afterPage(failing, done, 5)).toEqual({ ...failing, ...further });
  });

  it('is unchanged by the same page again, unless it was waiting', () => {
    const quiet = { ...feed, digest: 'b', pageSize: 10 };
    const same = { ...page, cursor: timeAt(2), digest: 'b', size: { pageSize: 20 } };
    expect(afterPage(quiet, same, 5)).toBe(quiet);
    const read = { ...quiet, cursor: timeAt(2), pageSize: 20 };
    const waiting = afterFailure(quiet, new Error('away'), { now: 0, hasRead: true });
    expect(afterPage(waiting, same, 5)).toEqual(read);
    const { digest: _, ...other } = read;
    expect(afterPage(quiet, { ...same, digest: undefined }, 5)).toEqual(other);
  });

  it('has a cursor after its first page, also without news', () => {
    const { cursor: _, ...fresh } = feed;
    expect(afterPage(fresh, { ...page, cursor: timeAt(2) }, 5).cursor).toBe(timeAt(2));
    const { cursor: _none, ...nowhere } = page;
    expect(afterPage(fresh, nowhere, 5)).toStrictEqual(fresh);
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
    const ids = ['', 'p1', '7d4f6a51-0000-4000-8000-000000000001'];
    expect(ids.map((projectId) => feedPartition({ projectId }))).toEqual([5, 10, 4]);
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
