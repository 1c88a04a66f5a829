import { describe, expect, it } from 'vitest';
import type { FeedPage } from '../../../../functions/core/paging/paginator.ts';
import { timeAt } from '../../../support/list-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  firstIds,
  cursorsOf,
  emptyPage,
  knownFilter,
  LIST_PATH,
  listOf,
  requestedCursors,
  shownIds,
  readList,
} from '../../../support/paginator-setup.ts';

describe('a cursor that the service returns', () => {
  it.each([
    ['stands still', timeAt(2)],
    ['goes back', timeAt(1)],
    ['is absent', undefined],
  ])('and that %s gives way to the largest updated_at of the page', async (_, given) => {
    const api = listOf([1, 2, 3, 4, 5], { filter: '>=' });
    const spoil = ({ lastSyncedAt: _cursor, ...page }: FeedPage['page']) => ({
      ...page,
      ...(given !== undefined && { lastSyncedAt: given }),
    });
    api.answerNext(LIST_PATH, (page) => page, spoil, spoil);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
  });

  it('and that is absent from the first page gives way to what is on it', async () => {
    const api = listOf([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST_PATH, ({ lastSyncedAt: _, ...page }) => page);
    await readList(api);
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2)]);
  });

  it.each(['>', '>='] as const)(
    'and that runs ahead hides nothing where the filter is %s',
    async (filter) => {
      const api = listOf([1, 2, 3, 4, 5], { filter });
      const spoil = (page: FeedPage['page']) => ({ ...page, lastSyncedAt: timeAt(999) });
      api.answerNext(LIST_PATH, spoil, spoil, spoil, spoil);
      expect(shownIds(await readList(api))).toEqual(firstIds(5));
      expect(cursorsOf(await readList(api))).not.toContain(timeAt(999));
    },
  );

  it('of an empty page is followed, but for a tie, and not taken for our own', async () => {
    const api = listOf([1, 2, 9], { filter: '>=' });
    api.answerNext(LIST_PATH, (page) => page, emptyPage({ lastSyncedAt: timeAt(5) }));
    const pages = await readList(api, { filters: knownFilter('inclusive') });
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(4.999)]);
    expect(cursorsOf(pages)).toEqual([timeAt(1.999), timeAt(1.999), timeAt(9)]);
  });

  it('of an empty page is followed also when it is the next millisecond', async () => {
    const api = listOf([1, 2, 9]);
    const given = timeAt(1.001).replace('Z', '+00:00');
    api.answerNext(LIST_PATH, emptyPage({ lastSyncedAt: given }));
    await readList(api, { cursor: timeAt(1) });
    expect(requestedCursors(api).slice(0, 2)).toEqual([timeAt(1), given]);
  });

  it('on a page of nothing but unusable entities is trusted only if a larger page is no better', async () => {
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
});

describe('a header that is wrong', () => {
  it('and names a later entity hides nothing, though that entity is then shown', async () => {
    const api = listOf([1, 2, 3, 4, 5, 6, 7, 8, 9], { filter: '>=' });
    const latest = (page: FeedPage['page']) => ({ ...page, lastSyncedAt: timeAt(9) });
    api.answerNext(LIST_PATH, ...Array.from({ length: 20 }, () => latest));
    expect(shownIds(await readList(api))).toEqual(firstIds(9));
  });

  it('and names the first entity of each page costs few requests and no false alarm', async () => {
    const api = listOf(Array.from({ length: 20 }, (_, n) => n));
    const first = (page: FeedPage['page']) => ({
      ...page,
      ...(page.entities[0] && { lastSyncedAt: page.entities[0].updated_at }),
    });
    api.answerNext(LIST_PATH, ...Array.from({ length: 90 }, () => first));
    const pages = await readList(api, { perPage: 4 });
    expect(shownIds(pages)).toEqual(firstIds(20));
    expect(pages.filter(({ saturated }) => saturated !== undefined)).toEqual([]);
    expect(api.requests.length).toBeLessThan(20);
  });
});

describe('the cursor to commit', () => {
  it('stays the overlap behind the time at which the list was read', async () => {
    const api = listOf([1, 2, 3, 90], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(40), isCaughtUp: false }]);
  });

  it('is at the end of a list that was read later than that: the list is settled', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(3), isCaughtUp: true }]);
  });

  it('stays behind the first page that may be incomplete, though later ones were read later', async () => {
    let now = 65;
    const api = listOf([1, 2, 30, 31, 50], { clock: () => Date.parse(timeAt((now += 20))) });
    const filters = knownFilter('exclusive');
    const pages = await readList(api, { lookbackMs: 60_000, filters });
    // Read at 85, 105, 125 …: the second page reaches beyond 45 only with its third entity.
    expect(cursorsOf(pages)).toEqual([timeAt(1.999), timeAt(29.999), timeAt(30.999), timeAt(50)]);
    now = 65;
    const later = await readList(api, { lookbackMs: 90_000, filters });
    expect(cursorsOf(later)).toEqual([timeAt(-5), timeAt(-5), timeAt(-5), timeAt(-5)]);
    expect(later.at(-1)?.isCaughtUp).toBe(false);
  });

  it('stays behind a page without entities that was read too early, though later ones were not', async () => {
    let now = 50;
    const api = listOf([1, 9], { clock: () => Date.parse(timeAt(now)) });
    api.answerNext(LIST_PATH, (page) => {
      now = 200;
      return { ...page, ...emptyPage({ lastSyncedAt: timeAt(1.001) })() };
    });
    const pages = await readList(api, { cursor: timeAt(1), lookbackMs: 60_000 });
    expect(cursorsOf(pages)).toEqual([timeAt(1), timeAt(1)]);
  });

  it('moves up to a time that has to be read again with a larger page', async () => {
    const api = listOf([1, 5, 5, 5]);
    api.answerNext(LIST_PATH, emptyPage({ lastSyncedAt: timeAt(5) }));
    const filters = knownFilter('exclusive');
    const pages = await readList(api, { cursor: timeAt(1), filters });
    expect(cursorsOf(pages)).toEqual([timeAt(1), timeAt(4.999), timeAt(5)]);
  });

  it('does not follow an entity with a date to come', async () => {
    const api = listOf([1, 2, 9_999], { clock: () => Date.parse(timeAt(100)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(2), isCaughtUp: true }]);
  });

  it('stays behind the latest entity by the overlap and the time of the walk where answers have no date', async () => {
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

  it('is that of a list without dates as soon as one page has none', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(timeAt(100)), filter: '>=' });
    api.answerNext(LIST_PATH, ({ readAfter: _, ...page }) => page);
    const pages = await readList(api, { lookbackMs: 60_000 });
    expect(cursorsOf(pages)).toEqual([timeAt(-58), timeAt(-57)]);
  });
});
