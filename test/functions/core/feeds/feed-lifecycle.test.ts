import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  afterOutage,
  afterPage,
  afterRefusal,
  afterUncommittedPage,
  beforeOtherFailure,
  withLegalWait,
  type PageResult,
} from '../../../../functions/core/feeds/feed-lifecycle.ts';
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
const MINUTE = 60_000;
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

  it('waits 1, 2, 4 … minutes after failures, at most an hour, and keeps its cursor', () => {
    const waits: number[] = [];
    let failing = feed;
    for (let i = 0; i < 8; i += 1) {
      failing = afterFailure(failing, 1000);
      waits.push((failing.notBefore - 1000) / MINUTE);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    expect(failing.cursor).toBe(timeAt(1));
  });

  it('knows since when it fails, on our side or that of the service, until it succeeds', () => {
    const failing = afterUncommittedPage(afterFailure(afterFailure(feed, 1000), 2000), 3000);
    expect(failing).toMatchObject({ failures: 1, failingSince: 1000 });
    expect(afterPage(failing, { ...page, isLast: false }, 4000).failingSince).toBe(1000);
    expect(afterPage(failing, page, 4000)).not.toHaveProperty('failingSince');
  });

  it('knows why it fails, and how often it was too slow, until it succeeds', () => {
    const reasons = { cause: 'It answered 500', slowFailures: 2 } as const;
    const failing = { ...afterFailure(feed, 0), ...reasons };
    const further = afterPage(failing, { ...page, isLast: false }, 5);
    expect(further).toMatchObject(reasons);
    expect(beforeOtherFailure(failing)).not.toHaveProperty('slowFailures');
    const mended = afterPage(failing, page, 5);
    expect(mended).toStrictEqual(feed);
    const { failingSince: _, ...unexplained } = afterFailure(feed, 0);
    const next = afterPage(unexplained, { ...page, isLast: false }, 5);
    expect(next).toStrictEqual(unexplained);
  });

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
    const failing = afterFailure(feed, 0);
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

  it('is parked when it is refused, retried like a failing one, and live with its next page', () => {
    const parked = afterRefusal(feed, 1000);
    const retried = { failures: 1, failingSince: 1000, notBefore: 1000 + MINUTE };
    expect(parked).toEqual({ ...feed, parked: 'refused', ...retried });
    expect(afterRefusal(parked, 0)).toMatchObject({ failures: 2, notBefore: 2 * MINUTE });
    expect(afterPage(parked, page, 0)).toEqual(feed);
    // What fails after that is another failure.
    const first = { ...page, isLast: false, isCaughtUp: false, cursor: timeAt(1) };
    expect(afterPage(parked, first, 0)).toMatchObject({ failures: 0, notBefore: 0 });
  });

  it('fails instead of being parked when it is the projects feed', () => {
    const projects = newFeed(catalog.projects, 'live');
    const failing = { failures: 1, failingSince: 0, notBefore: MINUTE };
    expect(afterRefusal(projects, 0)).toEqual({ ...projects, ...failing });
  });

  it('of a deleted project waits for an hour after its last page, and stays parked', () => {
    const parked: Feed = { ...feed, parked: 'project-deleted' };
    expect(afterPage(parked, { ...page, isLast: false }, 5)).toEqual(parked);
    expect(afterPage(parked, page, 0)).toEqual({ ...parked, notBefore: 60 * MINUTE });
    const refused = { ...parked, notBefore: 60 * MINUTE };
    expect(afterRefusal({ ...parked, failures: 3, failingSince: 7 }, 0)).toEqual(refused);
  });

  it('no longer waits after an outage in which its back-off began', () => {
    const failing = afterFailure(afterFailure(feed, 0), 10 * MINUTE);
    expect(afterOutage(failing, 10 * MINUTE)).toEqual({ ...failing, notBefore: 0 });
    expect(afterOutage(failing, 10 * MINUTE - 1)).toBe(failing);
    const deleted = afterPage({ ...feed, parked: 'project-deleted' }, page, 0);
    expect(afterOutage(deleted, Infinity)).toBe(deleted);
  });

  it('does not wait longer than any may, whatever the clock of another host said', () => {
    const failing = afterFailure(feed, 0, 60 * MINUTE);
    expect(withLegalWait(failing, 0)).toBe(failing);
    expect(withLegalWait(failing, -1)).toEqual({ ...failing, notBefore: 0 });
  });

  it('waits for the topic or the table longer than an outage of the service, until its page is committed', () => {
    const first = afterUncommittedPage(afterFailure(feed, 0), 5);
    expect(first).toMatchObject({ failures: 1, notBefore: 0, failingSince: 0 });
    const waiting = afterUncommittedPage(first, 0);
    const repeated = { failures: 2, failingSince: 0 };
    const postponed = { ...repeated, notBefore: MINUTE, hasUncommittedPage: true };
    expect(waiting).toEqual({ ...feed, ...postponed });
    expect(afterOutage(waiting, Infinity)).toBe(waiting);
    expect(afterPage(waiting, { ...page, isLast: false }, 0)).toMatchObject(postponed);
    expect(afterPage(waiting, page, 0)).toEqual(feed);
    const failing = afterFailure(waiting, 5);
    expect(afterOutage(failing, 5)).toEqual({ ...feed, ...repeated, failures: 1, notBefore: 0 });
    const refused = afterRefusal({ ...waiting, parked: 'project-deleted' }, 0);
    expect(refused).not.toHaveProperty('hasUncommittedPage');
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
