import { describe, expect, it } from 'vitest';
import type { CursorFilters } from '../../../../functions/core/paging/cursor-filter.ts';
import type { FeedPage } from '../../../../functions/core/paging/paginator.ts';
import { at } from '../../../support/list-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  all,
  cursors,
  empty,
  LIST,
  listOf,
  requestedCursor,
  shown,
  walkAll,
} from '../../../support/walks.ts';

describe('a cursor that the service returns', () => {
  it.each([
    ['stands still', at(2)],
    ['goes back', at(1)],
    ['is absent', undefined],
  ])('and that %s gives way to the largest updated_at of the page', async (_, given) => {
    const api = listOf([1, 2, 3, 4, 5], { filter: '>=' });
    const spoil = ({ lastSyncedAt: _cursor, ...page }: FeedPage['page']) => ({
      ...page,
      ...(given !== undefined && { lastSyncedAt: given }),
    });
    api.answerNext(LIST, (page) => page, spoil, spoil);
    expect(shown(await walkAll(api))).toEqual(all(5));
  });

  it('and that is absent from the first page gives way to what is on it', async () => {
    const api = listOf([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST, ({ lastSyncedAt: _, ...page }) => page);
    await walkAll(api);
    expect(requestedCursor(api)).toEqual([undefined, at(2)]);
  });

  it.each(['>', '>='] as const)(
    'and that runs ahead hides nothing where the filter is %s',
    async (filter) => {
      const api = listOf([1, 2, 3, 4, 5], { filter });
      const spoil = (page: FeedPage['page']) => ({ ...page, lastSyncedAt: at(999) });
      api.answerNext(LIST, spoil, spoil, spoil, spoil);
      expect(shown(await walkAll(api))).toEqual(all(5));
      expect(cursors(await walkAll(api))).not.toContain(at(999));
    },
  );

  it('of an empty page is followed, but for a tie, and not taken for our own', async () => {
    const api = listOf([1, 2, 9], { filter: '>=' });
    api.answerNext(LIST, (page) => page, empty({ lastSyncedAt: at(5) }));
    const pages = await walkAll(api, { filters: new Map([['projects', 'inclusive']]) });
    expect(requestedCursor(api)).toEqual([undefined, at(2), at(4.999)]);
    expect(cursors(pages)).toEqual([at(1.999), at(1.999), at(9)]);
  });

  it('of an empty page is followed also when it is the next millisecond', async () => {
    const api = listOf([1, 2, 9]);
    const given = at(1.001).replace('Z', '+00:00');
    api.answerNext(LIST, empty({ lastSyncedAt: given }));
    await walkAll(api, { cursor: at(1) });
    expect(requestedCursor(api).slice(0, 2)).toEqual([at(1), given]);
  });

  it('on a page of nothing but unusable entities is trusted only if a larger page is no better', async () => {
    const api = listOf([1, 2, 3, 4]);
    const invalid = [{ value: {}, reason: 'no id' }];
    api.answerNext(LIST, (page) => ({ ...page, entities: [], invalid, lastSyncedAt: at(999) }));
    expect(shown(await walkAll(api))).toEqual(all(4));
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});

describe('a header that is wrong', () => {
  it('and names a later entity hides nothing, though that entity is then shown', async () => {
    const api = listOf([1, 2, 3, 4, 5, 6, 7, 8, 9], { filter: '>=' });
    const latest = (page: FeedPage['page']) => ({ ...page, lastSyncedAt: at(9) });
    api.answerNext(LIST, ...Array.from({ length: 20 }, () => latest));
    expect(shown(await walkAll(api))).toEqual(all(9));
  });

  it('and names the first entity of each page costs few requests and no false alarm', async () => {
    const api = listOf(Array.from({ length: 20 }, (_, n) => n));
    const first = (page: FeedPage['page']) => ({
      ...page,
      ...(page.entities[0] && { lastSyncedAt: page.entities[0].updated_at }),
    });
    api.answerNext(LIST, ...Array.from({ length: 90 }, () => first));
    const pages = await walkAll(api, { perPage: 4 });
    expect(shown(pages)).toEqual(all(20));
    expect(pages.filter(({ saturated }) => saturated !== undefined)).toEqual([]);
    expect(api.requests.length).toBeLessThan(20);
  });
});

describe('the cursor to commit', () => {
  it('stays the overlap behind the time at which the list was read', async () => {
    const api = listOf([1, 2, 3, 90], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(40), isCaughtUp: false }]);
  });

  it('is at the end of a list that was read later than that: the list is settled', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(3), isCaughtUp: true }]);
  });

  it('stays behind the first page that may be incomplete, though later ones were read later', async () => {
    let now = 65;
    const api = listOf([1, 2, 30, 31, 50], { clock: () => Date.parse(at((now += 20))) });
    const filters: CursorFilters = new Map([['projects', 'exclusive']]);
    const pages = await walkAll(api, { lookbackMs: 60_000, filters });
    // Read at 85, 105, 125 …: the second page reaches beyond 45 only with its third entity.
    expect(cursors(pages)).toEqual([at(1.999), at(29.999), at(30.999), at(50)]);
    now = 65;
    const later = await walkAll(api, { lookbackMs: 90_000, filters });
    expect(cursors(later)).toEqual([at(-5), at(-5), at(-5), at(-5)]);
    expect(later.at(-1)?.isCaughtUp).toBe(false);
  });

  it('stays behind a page without entities that was read too early, though later ones were not', async () => {
    let now = 50;
    const api = listOf([1, 9], { clock: () => Date.parse(at(now)) });
    api.answerNext(LIST, (page) => {
      now = 200;
      return { ...page, ...empty({ lastSyncedAt: at(1.001) })() };
    });
    const pages = await walkAll(api, { cursor: at(1), lookbackMs: 60_000 });
    expect(cursors(pages)).toEqual([at(1), at(1)]);
  });

  it('moves up to a time that has to be read again with a larger page', async () => {
    const api = listOf([1, 5, 5, 5]);
    api.answerNext(LIST, empty({ lastSyncedAt: at(5) }));
    const filters: CursorFilters = new Map([['projects', 'exclusive']]);
    const pages = await walkAll(api, { cursor: at(1), filters });
    expect(cursors(pages)).toEqual([at(1), at(4.999), at(5)]);
  });

  it('does not follow an entity with a date to come', async () => {
    const api = listOf([1, 2, 9_999], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(2), isCaughtUp: true }]);
  });

  it('stays behind the latest entity by the overlap and the time of the walk where answers have no date', async () => {
    const clock = new ManualClock();
    const api = listOf([100, 200, 300, 400], { filter: '>=' });
    const slow = (page: FeedPage['page']) => {
      clock.advance(10_000);
      return page;
    };
    api.answerNext(LIST, slow, slow, slow);
    const pages = await walkAll(api, { lookbackMs: 60_000, clock });
    expect(cursors(pages)).toEqual([at(130), at(220), at(310)]);
    expect(pages.at(-1)?.isCaughtUp).toBe(false);
  });

  it('is that of a list without dates as soon as one page has none', async () => {
    const api = listOf([1, 2, 3], { clock: () => Date.parse(at(100)), filter: '>=' });
    api.answerNext(LIST, ({ readAfter: _, ...page }) => page);
    const pages = await walkAll(api, { lookbackMs: 60_000 });
    expect(cursors(pages)).toEqual([at(-58), at(-57)]);
  });
});
