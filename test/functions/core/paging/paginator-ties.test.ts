import { describe, expect, it } from 'vitest';
import type { CursorFilters } from '../../../../functions/core/paging/cursor-filter.ts';
import type { FeedPage } from '../../../../functions/core/paging/paginator.ts';
import { timeAt } from '../../../support/list-service.ts';
import {
  firstIds,
  cursorsOf,
  filterOf,
  LIST_PATH,
  listOf,
  requestedCursors,
  saturatedTimes,
  shownIds,
  readList,
  makePaginator,
} from '../../../support/paginator-setup.ts';

/** A timestamp with more digits than the spec's milliseconds. */
const fineTime = (digits: string) => timeAt(2).replace('000Z', `${digits}Z`);

describe('a tie at the end of a page', () => {
  it('is read whole with >=, without another request', async () => {
    const api = listOf([1, 2, 2, 3], { filter: '>=' });
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(2)]);
  });

  it('is read whole with >, by a second request one millisecond earlier', async () => {
    const api = listOf([1, 2, 2, 3, 4]);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
    expect(requestedCursors(api).slice(0, 3)).toEqual([undefined, timeAt(2), timeAt(1.999)]);
  });

  it('is read whole at the apparent end of the list, too', async () => {
    const api = listOf([1, 2, 2]);
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(firstIds(3));
    expect(pages.at(-1)).toMatchObject({ cursor: timeAt(2), isLast: true });
  });

  it('is requested one millisecond earlier at once for the rest of the run', async () => {
    const filters: CursorFilters = new Map();
    await readList(listOf([1, 2, 3]), { filters });
    const api = listOf([1, 2, 3, 4, 5]);
    expect(shownIds(await readList(api, { filters }))).toEqual(firstIds(5));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(1.999), timeAt(2.999), timeAt(3.999)]);
  });

  it('hides nothing when its entities change meanwhile', async () => {
    const api = listOf([1, 2, 2, 3, 4], { filter: '>=' });
    api.answerNext(LIST_PATH, (page) => {
      api.put(LIST_PATH, { id: 'p1', updated_at: timeAt(9) });
      return page;
    });
    expect(shownIds(await readList(api)).sort()).toEqual(firstIds(5));
  });

  it('is not requested again with a detected >=, although nothing of it remains', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    const moveAway = (page: FeedPage['page']) => {
      api.put(LIST_PATH, { id: 'p2', updated_at: timeAt(9) });
      return page;
    };
    api.answerNext(LIST_PATH, (page) => page, moveAway);
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(3)]);
  });

  it('is requested again no earlier than the start of the page before', async () => {
    const api = listOf([]);
    for (const id of ['1002', '1003']) api.put(LIST_PATH, { id, updated_at: fineTime(id) });
    await readList(api, { cursor: fineTime('1001'), perPage: 1 });
    const expected = ['1001', '1002', '1001'].map(fineTime);
    expect(requestedCursors(api).slice(0, 3)).toEqual(expected);
  });

  it('hides nothing from a paginator that stops there and starts again', async () => {
    const api = listOf([1, 2, 2, 3]);
    const [cursor] = cursorsOf([await makePaginator(api).next(new AbortController().signal)]);
    expect(shownIds(await readList(api, { cursor }))).toEqual(['p1', 'p2', 'p3']);
  });
});

describe('more entities at one timestamp than a page holds', () => {
  it.each(['>', '>='] as const)('are read with a larger page with %s', async (filter) => {
    const api = listOf([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 10 });
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(firstIds(12));
    expect(api.requests.map(({ perPage }) => perPage)).toContain(1000);
    expect(api.requests.at(-1)?.perPage).toBe(2);
    expect(saturatedTimes(pages)).toEqual([]);
  });

  it.each(['>', '>='] as const)('are stepped over and reported with %s', async (filter) => {
    const api = listOf([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 5 });
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(expect.arrayContaining(['p0', 'p1', 'p5', 'p10', 'p11']));
    expect(saturatedTimes(pages)).toEqual([timeAt(2)]);
    expect(api.requests.length).toBeLessThan(12);
  });

  it.each(['>', '>='] as const)('keep the cursor before that time with %s', async (filter) => {
    const api = listOf([1, ...Array<number>(5).fill(2), 3, 4], { filter });
    expect(cursorsOf(await readList(api))).toEqual([timeAt(1.999), timeAt(1.999), timeAt(4)]);
  });

  it('are stepped over by no more than their own timestamp, however close the next one is', async () => {
    const api = listOf([], { largestPage: 2 });
    api.put(LIST_PATH, ...['a', 'b', 'c'].map((id) => ({ id, updated_at: fineTime('1002') })));
    api.put(LIST_PATH, { id: 'next', updated_at: fineTime('1003') });
    const filters = filterOf('exclusive');
    const pages = await readList(api, { cursor: fineTime('1001'), perPage: 1000, filters });
    expect(shownIds(pages)).toEqual(['a', 'b', 'next']);
  });

  it('are reported for each such timestamp', async () => {
    const api = listOf([2, 2, 2, 5, 5, 5, 6], { filter: '>=', largestPage: 2 });
    const pages = await readList(api);
    expect(saturatedTimes(pages)).toEqual([timeAt(2), timeAt(5)]);
    expect(shownIds(pages)).toContain('p6');
  });

  it('are stepped over at once if the page has the maximum size', async () => {
    const api = listOf([2, 2, 2, 3], { largestPage: 2 });
    await readList(api, { perPage: 1000 });
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(1.999), timeAt(2)]);
  });
});
