import { describe, expect, it } from 'vitest';
import type { FeedPage } from '../../../../functions/core/paging/feed-page.ts';
import { timeAt } from '../../../support/list-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  firstIds,
  cursorsOf,
  emptyPage,
  LIST_PATH,
  listOf,
  requestedCursors,
  saturatedTimes,
  shownIds,
  readList,
} from '../../../support/paginator-setup.ts';

describe('an X-Last-Synced-At', () => {
  it.each([
    ['stands still', timeAt(2)],
    ['goes back', timeAt(1)],
    ['is absent', undefined],
  ])('that %s gives way to the largest updated_at of the page', async (_, given) => {
    const api = listOf([1, 2, 3, 4, 5], { filter: '>=' });
    const spoil = ({ lastSyncedAt: _cursor, ...page }: FeedPage['page']) => ({
      ...page,
      ...(given !== undefined && { lastSyncedAt: given }),
    });
    api.answerNext(LIST_PATH, (page) => page, spoil, spoil);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
  });

  it('that is absent from the first page gives way to its entities', async () => {
    const api = listOf([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST_PATH, ({ lastSyncedAt: _, ...page }) => page);
    await readList(api);
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2)]);
  });

  it.each([
    ['>', 999],
    ['>=', 999],
    ['>=', 9],
  ] as const)('that runs ahead hides nothing with %s: %i', async (filter, second) => {
    const api = listOf([1, 2, 3, 4, 5, 6, 7, 8, 9], { filter });
    const spoil = (page: FeedPage['page']) => ({ ...page, lastSyncedAt: timeAt(second) });
    api.answerNext(LIST_PATH, ...Array<typeof spoil>(20).fill(spoil));
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(firstIds(9));
    expect(cursorsOf(pages)).not.toContain(timeAt(999));
  });

  it('of an empty page starts the next request, and is committed less the lookback', async () => {
    const api = listOf([1, 9], { clock: () => Date.parse(timeAt(63)) });
    const empty = emptyPage({ lastSyncedAt: timeAt(5) })();
    api.answerNext(LIST_PATH, (page) => ({ ...page, ...empty }));
    const pages = await readList(api, { cursor: timeAt(1), lookbackMs: 60_000 });
    expect(requestedCursors(api)).toEqual([timeAt(-59), timeAt(4.999)]);
    expect(cursorsOf(pages)).toEqual([timeAt(3), timeAt(3)]);
  });

  it('of an empty page starts the next request even one millisecond later', async () => {
    const api = listOf([1, 2, 9]);
    const given = timeAt(1.001).replace('Z', '+00:00');
    api.answerNext(LIST_PATH, emptyPage({ lastSyncedAt: given }));
    await readList(api, { cursor: timeAt(1) });
    expect(requestedCursors(api).slice(0, 2)).toEqual([timeAt(1), given]);
  });

  it('on a page of only invalid entities counts only after a larger page', async () => {
    const api = listOf([1, 2, 3, 4]);
    const invalid = [{ value: {}, reason: 'no id' }];
    api.answerNext(LIST_PATH, (page) => ({
      ...page,
      entities: [],
      invalid,
      lastSyncedAt: timeAt(999),
    }));
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });

  it('that names the first entity of each page costs few requests and no false report', async () => {
    const api = listOf(Array.from({ length: 20 }, (_, n) => n));
    const first = (page: FeedPage['page']) => ({
      ...page,
      ...(page.entities[0] && { lastSyncedAt: page.entities[0].updated_at }),
    });
    api.answerNext(LIST_PATH, ...Array.from({ length: 90 }, () => first));
    const pages = await readList(api, { perPage: 4 });
    expect(shownIds(pages)).toEqual(firstIds(20));
    expect(saturatedTimes(pages)).toEqual([]);
    expect(api.requests.length).toBeLessThan(20);
  });
});

describe('the cursor to commit', () => {
  it('stays the lookback behind the time at which the list was read', async () => {
    const api = listOf([1, 2, 3, 90], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(40), isCaughtUp: false }]);
  });

  it('is at the end of a list that was read later: the list is caught up', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(3), isCaughtUp: true }]);
  });

  it('of a shorter lookback is caught up only once a longer one has passed', async () => {
    let now = 100;
    const api = listOf([1, 2, 3], { clock: () => Date.parse(timeAt(now)), filter: '>=' });
    const from = {
      perPage: 1000,
      cursor: timeAt(3),
      committedLookbackMs: 60_000,
      lookbackMs: 99_000,
    };
    expect(await readList(api, from)).toMatchObject([{ cursor: timeAt(3), isCaughtUp: false }]);
    now = 102;
    expect(await readList(api, from)).toMatchObject([{ cursor: timeAt(3), isCaughtUp: true }]);
  });

  it('stays behind the first page that may be incomplete, although later pages were read later', async () => {
    let now = 65;
    const clock = () => Date.parse(timeAt((now += 20)));
    const api = listOf([1.001, 2, 30, 31, 50], { clock, filter: '>=' });
    const pages = await readList(api, { lookbackMs: 60_000 });
    // Read at 85, 105, 125 …: the second page reaches beyond 45 only with its third entity.
    expect(cursorsOf(pages)).toEqual([timeAt(1.999), timeAt(29.999), timeAt(30.999), timeAt(50)]);
    now = 65;
    const later = await readList(api, { lookbackMs: 90_000 });
    expect(cursorsOf(later)).toEqual([timeAt(-5), timeAt(-5), timeAt(-5), timeAt(-5)]);
    expect(later.at(-1)?.isCaughtUp).toBe(false);
  });

  it('stays behind an empty page that was read too early, although later pages were not', async () => {
    let now = 50;
    const api = listOf([1, 9], { clock: () => Date.parse(timeAt(now)) });
    api.answerNext(LIST_PATH, (page) => {
      now = 200;
      return { ...page, ...emptyPage({ lastSyncedAt: timeAt(1.001) })() };
    });
    const pages = await readList(api, { cursor: timeAt(1), lookbackMs: 60_000 });
    expect(cursorsOf(pages)).toEqual([timeAt(1), timeAt(1)]);
  });

  it('moves up to a timestamp that must be read again with a larger page', async () => {
    const api = listOf([1, 5, 5, 5]);
    api.answerNext(LIST_PATH, emptyPage({ lastSyncedAt: timeAt(5) }));
    const pages = await readList(api, { cursor: timeAt(1) });
    expect(cursorsOf(pages)).toEqual([timeAt(4), timeAt(4), timeAt(4), timeAt(5)]);
  });

  it('does not follow an entity dated in the future', async () => {
    const api = listOf([1, 2, 9_999], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(2), isCaughtUp: true }]);
  });

  it('stays behind the latest entity by lookback and elapsed time if answers have no Date', async () => {
    const clock = new ManualClock();
    const api = listOf([100, 200, 300, 400], { filter: '>=' });
    const slow = (page: FeedPage['page']) => {
      clock.advance(10_000);
      return page;
    };
    api.answerNext(LIST_PATH, slow, slow, slow);
    const pages = await readList(api, { lookbackMs: 60_000, clock });
    expect(cursorsOf(pages)).toEqual([timeAt(130), timeAt(220), timeAt(310)]);
    expect(pages.at(-1)?.isCaughtUp).toBe(false);
  });

  it('is that of a list without Date as soon as one page has none', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(timeAt(100)), filter: '>=' });
    api.answerNext(LIST_PATH, ({ readAfter: _, ...page }) => page);
    const pages = await readList(api, { lookbackMs: 60_000 });
    expect(cursorsOf(pages)).toEqual([timeAt(-58), timeAt(-57)]);
  });
});

describe('a Date that cannot be relied on', () => {
  const HOUR_MS = 3_600_000;
  const dated = (seconds: number) => (page: FeedPage['page']) => ({
    ...page,
    readAfter: timeAt(seconds),
  });
  const undated = ({ readAfter: _, ...page }: FeedPage['page']) => page;

  it.each([
    ['missing after answers with one', [dated(100), undated], 40],
    ['days ahead', [dated(100), dated(40 * 86_400)], 40],
    ['an hour old', [dated(-3_600), dated(100)], -5],
  ])('does not let the cursor follow an entity dated ahead: %s', async (_, dates, second) => {
    const api = listOf([1.001, 50, 30 * 86_400], { filter: '>=' });
    api.answerNext(LIST_PATH, ...dates);
    const pages = await readList(api, {
      cursor: timeAt(-5),
      committedLookbackMs: HOUR_MS,
      lookbackMs: 60_000,
    });
    expect(pages.at(-1)).toMatchObject({ cursor: timeAt(second) });
  });

  it('is replaced by the latest entity no later than our own clock plus a day', async () => {
    const api = listOf([1, 50, 30 * 86_400]);
    const [page] = await readList(api, { perPage: 9 });
    expect(page).toMatchObject({ cursor: timeAt(50), isCaughtUp: true });
    const [other] = await readList(listOf([30 * 86_400]), { perPage: 9 });
    expect(other).toMatchObject({ isLast: true, isCaughtUp: false });
    expect(other?.cursor).toBeUndefined();
  });

  it('never makes a list caught up where no answer of the run had one', async () => {
    const pages = await readList(listOf([1, 2]), { perPage: 9, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(-58), isCaughtUp: false }]);
  });
});

describe('the lookback cursor', () => {
  it('stays the lookback behind the latest entity, too: the clock of Date may be ahead', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(timeAt(500)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(90), lookbackCursor: timeAt(30) }]);
  });

  it('is never before the cursor', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(timeAt(500)) });
    const later = await readList(api, {
      cursor: timeAt(50),
      committedLookbackMs: 60_000,
      lookbackMs: 60_000,
    });
    expect(later).toMatchObject([{ lookbackCursor: timeAt(50) }]);
  });
});

describe('a longer lookback', () => {
  const setup = { cursor: timeAt(50), committedLookbackMs: 10_000, lookbackMs: 60_000 };
  const clock = () => Date.parse(timeAt(500));

  it('is covered page by page, until the cursor is reached', async () => {
    const api = listOf([1, 2, 3.5, 4, 60], { filter: '>=', clock });
    const pages = await readList(api, setup);
    // The first page ends at 2 and may cut a tie: it is complete up to 1, 49 s before the cursor.
    expect(pages.map((page) => page.coveredLookbackMs)).toEqual([11_000, 13_499, 13_999, 60_000]);
    expect(pages.map(({ hasAdvanced }) => hasAdvanced)).toEqual([false, false, false, true]);
  });

  it('begins behind the part that was covered', async () => {
    const api = listOf([1, 2, 3.5, 4, 60], { filter: '>=', clock });
    await readList(api, { ...setup, committedLookbackMs: 13_499 });
    expect(requestedCursors(api)[0]).toBe(timeAt(3.499));
  });

  it('counts a part of a millisecond as uncovered', async () => {
    const api = listOf([], { filter: '>=', clock });
    const fine = (digits: string) => timeAt(50).replace('000Z', `${digits}Z`);
    const times = ['0002', '0003', '0005', '0006'].map(fine);
    api.put(LIST_PATH, ...times.map((updated_at, n) => ({ id: `p${n}`, updated_at })));
    const [page] = await readList(api, { ...setup, cursor: fine('0009') });
    expect(page?.coveredLookbackMs).toBe(59_999);
  });

  it('is not covered where late commits may still appear', async () => {
    const api = listOf([1, 2, 3.5, 4, 60], { filter: '>=', clock: () => Date.parse(timeAt(60.5)) });
    const pages = await readList(api, setup);
    expect(pages.map((page) => page.coveredLookbackMs)).toEqual([10_500, 10_500, 10_500, 10_500]);
  });
});

describe('a cursor that was committed with another lookback', () => {
  it.each([
    ['a smaller one is followed by a start earlier by the difference', 10_000, 60_000, 0, 50],
    ['none is followed by a start earlier by the whole lookback', undefined, 60_000, -10, 50],
    ['a larger one is the start', 60_000, 10_000, 50, 80],
  ])('%s', async (_, committedLookbackMs, lookbackMs, start, cursor) => {
    const api = listOf([1, 2, 90]);
    const committed = committedLookbackMs !== undefined && { committedLookbackMs };
    const pages = await readList(api, { cursor: timeAt(50), lookbackMs, perPage: 9, ...committed });
    expect(requestedCursors(api)).toEqual([timeAt(start)]);
    expect(cursorsOf(pages)).toEqual([timeAt(cursor)]);
  });
});
