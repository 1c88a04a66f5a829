import { describe, expect, it } from 'vitest';
import type { CursorFilters } from '../../../../functions/core/paging/cursor-filter.ts';
import type { FeedPage } from '../../../../functions/core/paging/paginator.ts';
import { timeAt } from '../../../support/list-service.ts';
import {
  firstIds,
  cursorsOf,
  knownFilter,
  LIST_PATH,
  listOf,
  requestedCursors,
  shownIds,
  readList,
  makePaginator,
} from '../../../support/paginator-setup.ts';

/** A time with more digits than the spec's milliseconds. */
const fine = (digits: string) => timeAt(2).replace('000Z', `${digits}Z`);

describe('a tie at the end of a page', () => {
  it('is read whole where the filter is >=, without a further request', async () => {
    const api = listOf([1, 2, 2, 3], { filter: '>=' });
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(2)]);
  });

  it('is read whole where the filter is >: it is asked again a millisecond earlier', async () => {
    const api = listOf([1, 2, 2, 3, 4]);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
    expect(requestedCursors(api).slice(0, 3)).toEqual([undefined, timeAt(2), timeAt(1.999)]);
  });

  it('is read whole also when it seems to be the end of the list', async () => {
    const api = listOf([1, 2, 2]);
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(firstIds(3));
    expect(pages.at(-1)).toMatchObject({ cursor: timeAt(2), isLast: true });
  });

  it('is asked for a millisecond earlier at once for the rest of the run', async () => {
    const filters: CursorFilters = new Map();
    await readList(listOf([1, 2, 3]), { filters });
    const api = listOf([1, 2, 3, 4, 5]);
    expect(shownIds(await readList(api, { filters }))).toEqual(firstIds(5));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(1.999), timeAt(2.999), timeAt(3.999)]);
  });

  it('does not hide anything when its entities change in the meantime', async () => {
    const api = listOf([1, 2, 2, 3, 4], { filter: '>=' });
    api.answerNext(LIST_PATH, (page) => {
      api.put(LIST_PATH, { id: 'p1', updated_at: timeAt(9) });
      return page;
    });
    expect(shownIds(await readList(api)).sort()).toEqual(firstIds(5));
  });

  it('is not asked for again where the filter is known to be >=, though nothing of it is left', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    const cancel = (page: FeedPage['page']) => {
      api.put(LIST_PATH, { id: 'p2', updated_at: timeAt(9) });
      return page;
    };
    api.answerNext(LIST_PATH, (page) => page, cancel);
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(3)]);
  });

  it('is asked for again no earlier than where the page before began, however close they are', async () => {
    const api = listOf([]);
    api.put(
      LIST_PATH,
      { id: 'a', updated_at: fine('1002') },
      { id: 'b', updated_at: fine('1003') },
    );
    await readList(api, { cursor: fine('1001'), perPage: 1 });
    expect(requestedCursors(api).slice(0, 3)).toEqual([fine('1001'), fine('1002'), fine('1001')]);
  });

  it('does not hide anything from a walk that stops there and starts again', async () => {
    const api = listOf([1, 2, 2, 3]);
    const [cursor] = cursorsOf([await makePaginator(api).next(new AbortController().signal)]);
    expect(shownIds(await readList(api, { ...(cursor && { cursor }) }))).toEqual([
      'p1',
      'p2',
      'p3',
    ]);
  });
});

describe('more entities at one timestamp than a page holds', () => {
  it.each(['>', '>='] as const)(
    'are read with a larger page where the filter is %s',
    async (filter) => {
      const api = listOf([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 10 });
      const pages = await readList(api);
      expect(shownIds(pages)).toEqual(firstIds(12));
      expect(api.requests.map(({ perPage }) => perPage)).toContain(1000);
      expect(api.requests.at(-1)?.perPage).toBe(2);
      expect(pages.filter(({ saturated }) => saturated !== undefined)).toEqual([]);
    },
  );

  it.each(['>', '>='] as const)(
    'than the largest page holds are stepped over and reported where the filter is %s',
    async (filter) => {
      const api = listOf([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 5 });
      const pages = await readList(api);
      expect(shownIds(pages)).toEqual(expect.arrayContaining(['p0', 'p1', 'p5', 'p10', 'p11']));
      expect(pages.flatMap(({ saturated }) => saturated ?? [])).toEqual([timeAt(2)]);
      expect(api.requests.length).toBeLessThan(12);
    },
  );

  it.each(['>', '>='] as const)(
    'keep the cursor before that time until all of them are read where the filter is %s',
    async (filter) => {
      const api = listOf([1, ...Array<number>(5).fill(2), 3, 4], { filter });
      expect(cursorsOf(await readList(api))).toEqual([timeAt(1.999), timeAt(1.999), timeAt(4)]);
    },
  );

  it('are stepped over by no more than their own time, however close the next one is', async () => {
    const api = listOf([], { largestPage: 2 });
    api.put(LIST_PATH, ...['a', 'b', 'c'].map((id) => ({ id, updated_at: fine('1002') })));
    api.put(LIST_PATH, { id: 'next', updated_at: fine('1003') });
    const filters = knownFilter('exclusive');
    const pages = await readList(api, { cursor: fine('1001'), perPage: 1000, filters });
    expect(shownIds(pages)).toEqual(['a', 'b', 'next']);
  });

  it('are reported each time they are met', async () => {
    const api = listOf([2, 2, 2, 5, 5, 5, 6], { filter: '>=', largestPage: 2 });
    const pages = await readList(api);
    expect(pages.flatMap(({ saturated }) => saturated ?? [])).toEqual([timeAt(2), timeAt(5)]);
    expect(shownIds(pages)).toContain('p6');
  });

  it('are stepped over at once where the page is the largest already', async () => {
    const api = listOf([2, 2, 2, 3], { largestPage: 2 });
    await readList(api, { perPage: 1000 });
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(1.999), timeAt(2)]);
  });
});
