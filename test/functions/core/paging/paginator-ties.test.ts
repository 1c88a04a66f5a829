import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../functions/core/model/errors.ts';
import type { FeedPage } from '../../../../functions/core/paging/feed-page.ts';
import { timeAt } from '../../../support/list-service.ts';
import {
  firstIds,
  cursorsOf,
  LIST_PATH,
  listOf,
  requestedCursors,
  saturatedTimes,
  shownIds,
  readList,
  makePaginator,
  neverAborted,
} from '../../../support/paginator-setup.ts';

/** A timestamp with more digits than the spec's milliseconds. */
const fineTime = (digits: string) => timeAt(2).replace('000Z', `${digits}Z`);

describe('a tie at the end of a page', () => {
  it('is read whole with >=, without another request', async () => {
    const api = listOf([1, 2, 2, 3], { filter: '>=' });
    expect(shownIds(await readList(api))).toEqual(firstIds(4));
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(2)]);
  });

  it.each([
    ['millisecond', [1.001, 2, 2, 3, 4], 1.999],
    ['second, in a list without milliseconds', [1, 2, 2, 3, 4], 1],
  ])('is read whole with >, by a second request one %s earlier', async (_, seconds, earlier) => {
    const api = listOf(seconds);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
    expect(requestedCursors(api).slice(0, 3)).toEqual([undefined, timeAt(2), timeAt(earlier)]);
  });

  it('is read whole at the apparent end of the list, too', async () => {
    const api = listOf([1, 2, 2]);
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(firstIds(3));
    expect(pages.at(-1)).toMatchObject({ cursor: timeAt(2), isLast: true });
  });

  it('is requested earlier at once for the rest of the list', async () => {
    const api = listOf([1.001, 2, 3, 4, 5]);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
    const expected = [2, 1.999, 2.999, 3.999].map(timeAt);
    expect(requestedCursors(api)).toEqual([undefined, ...expected]);
  });

  it.each(['>', '>='] as const)(
    'is read whole at the zero time of the service, before which there is no cursor, with %s',
    async (filter) => {
      const zero = '0001-01-01T00:00:00.000Z';
      const api = listOf([], { filter });
      const entities = firstIds(5).map((id) => ({ id, updated_at: zero }));
      api.put(LIST_PATH, ...entities, { id: 'p5', updated_at: timeAt(1) });
      const pages = await readList(api, { lookbackMs: 60_000 });
      expect(shownIds(pages)).toEqual(firstIds(6));
      expect(requestedCursors(api).filter((cursor = zero) => cursor < zero)).toEqual([]);
      expect((await readList(api, { cursor: cursorsOf(pages)[0] })).at(-1)?.isLast).toBe(true);
    },
  );

  it('hides nothing when its entities change meanwhile', async () => {
    const api = listOf([1, 2, 2, 3, 4], { filter: '>=' });
    api.answerNext(LIST_PATH, (page) => {
      api.put(LIST_PATH, { id: 'p1', updated_at: timeAt(9) });
      return page;
    });
    expect(shownIds(await readList(api)).sort()).toEqual(firstIds(5));
  });

  it('is checked on every page: one that was repeated says nothing of the next', async () => {
    // The second page repeats p1, as if its time were stored finer than shown. The third hides p3.
    const api = listOf([1.001, 2, 3, 3, 4]);
    const [p1, p2] = [1, 2].map((n) => ({ id: `p${n}`, updated_at: timeAt(n + 1) }));
    const repeated = (page: FeedPage['page']) => ({
      ...page,
      entities: [p1, p2].flatMap((entity) => entity ?? []),
    });
    api.answerNext(LIST_PATH, (page) => page, repeated);
    expect(shownIds(await readList(api))).toEqual(firstIds(5));
    expect(requestedCursors(api).slice(0, 4)).toEqual([undefined, ...[2, 3, 2.999].map(timeAt)]);
  });

  it('is repeated only by an entity of the page before, not by another one of that time', async () => {
    // p2 is stored before what it shows, p3 behind it.
    const api = listOf([1.001, 2, 2, 2, 3]);
    const withoutP1 = (page: FeedPage['page']) => ({
      ...page,
      entities: [{ id: 'p3', updated_at: timeAt(2) }],
    });
    api.answerNext(LIST_PATH, (page) => page, withoutP1);
    expect(shownIds(await readList(api)).sort()).toEqual(firstIds(5));
  });

  it('is requested again no earlier than the start of the page before', async () => {
    const api = listOf([]);
    for (const id of ['1002', '1003']) api.put(LIST_PATH, { id, updated_at: fineTime(id) });
    await readList(api, { cursor: fineTime('1001995'), perPage: 1 });
    const expected = ['1001995', '1002', '1001995'].map(fineTime);
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
    const api = listOf([1.001, ...Array<number>(5).fill(2), 3, 4], { filter });
    expect(cursorsOf(await readList(api))).toEqual([timeAt(1.999), timeAt(1.999), timeAt(4)]);
  });

  it.each(['>', '>='] as const)(
    'are stepped over with %s by no more than their own timestamp, however close the next one is',
    async (filter) => {
      const api = listOf([], { largestPage: 2, filter });
      api.put(LIST_PATH, ...['a', 'b', 'c'].map((id) => ({ id, updated_at: fineTime('1002') })));
      api.put(LIST_PATH, { id: 'next', updated_at: fineTime('1003') });
      const pages = await readList(api, { cursor: fineTime('1001'), perPage: 1000 });
      expect(shownIds(pages)).toEqual(['a', 'b', 'next']);
      expect(saturatedTimes(pages)).toEqual([fineTime('1002')]);
    },
  );

  it.each([
    ['a whole millisecond, of times in microseconds', '120000', '120001'],
    ['a whole second, of times in microseconds', '000000', '000001'],
    ['a whole microsecond, of times in nanoseconds', '000001000', '000001001'],
    ['a whole second, of times in nanoseconds', '000000000', '000000001'],
    ['a time that leaves out zeros', '12', '120000001'],
  ])('hide nothing behind %s', async (_, tie, next) => {
    const timeOf = (fraction: string) => `2026-03-02T08:00:01.${fraction}Z`;
    const api = listOf([], { largestPage: 2, filter: '>=' });
    api.put(LIST_PATH, ...['a', 'b', 'c'].map((id) => ({ id, updated_at: timeOf(tie) })));
    api.put(LIST_PATH, { id: 'next', updated_at: timeOf(next) });
    const pages = await readList(api, { perPage: 1000 });
    expect(shownIds(pages)).toEqual(['a', 'b', 'next']);
    expect(saturatedTimes(pages)).toHaveLength(1);
  });

  it('fail with a clear error, and skip nothing, if the service takes no cursor finer than milliseconds', async () => {
    const api = listOf([1, 2, 2, 2, 3], { largestPage: 2, filter: '>=' });
    const cause = new ServiceError('GET: 400', { status: 400, hint: 'Check it.' });
    const paginator = makePaginator({
      fetchPage: (request, signal) =>
        (request.lastSyncedAt ?? '').length > timeAt(1).length
          ? Promise.reject(cause)
          : api.fetchPage(request, signal),
    });
    const cursors: unknown[] = [];
    const readAll = async () => {
      for (let n = 0; n < 9; n += 1) cursors.push((await paginator.next(neverAborted)).cursor);
    };
    await expect(readAll()).rejects.toMatchObject({
      name: 'ServiceError',
      status: 400,
      message: expect.stringMatching(
        /^projects: the service refuses last_synced_at .*finer than milliseconds: GET: 400$/,
      ) as string,
      cause,
    });
    expect(cursors.every((cursor) => String(cursor) <= timeAt(2))).toBe(true);
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
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(1), timeAt(2)]);
  });
});
