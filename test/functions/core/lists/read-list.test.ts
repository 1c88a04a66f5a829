import { describe, expect, it } from 'vitest';
import { PageSize } from '../../../../functions/core/lists/page-size.ts';
import {
  ListReader,
  type ListPage,
  type PageRead,
  type ListStart,
} from '../../../../functions/core/lists/read-list.ts';
import { PageTooLargeError, PageTooSlowError } from '../../../../functions/core/model/errors.ts';
import { ListService, timeAt, type ListServiceOptions } from '../../../support/list-service.ts';

const PATH = '/list';
/** More pages than any list of the tests has: a reader that loops fails its test at once. */
const MAX_PAGES = 60;

/** A list with an entity for each second; a second that is given twice is a tie. */
function listOf(seconds: readonly number[], options?: ListServiceOptions): ListService {
  const service = new ListService(options);
  service.put(PATH);
  seconds.forEach((second, n) => {
    service.put(PATH, { id: `e${n}`, updated_at: timeAt(second) });
  });
  return service;
}

function readerOf(service: ListService, size: PageSize, start?: ListStart): ListReader<ListPage> {
  const source = {
    fetch: (cursor: string | undefined, perPage: number) => {
      const lastSyncedAt = cursor !== undefined && { lastSyncedAt: cursor };
      return service.fetchPage({ path: PATH, perPage, ...lastSyncedAt });
    },
    broken: (reason: string) => new Error(`broken: ${reason}`),
  };
  return new ListReader<ListPage>(source, size, start);
}

/** Reads a list to its end: the ids in their order, the cursors sent, and what was stepped over. */
async function read(service: ListService, size = new PageSize(2), start?: ListStart) {
  const reader = readerOf(service, size, start);
  const ids = new Set<string>();
  const saturated: string[] = [];
  const pages: Omit<PageRead<ListPage>, 'page'>[] = [];
  while (pages.length < MAX_PAGES) {
    const { page, ...place } = await reader.next();
    pages.push(place);
    for (const { id } of page.entities) ids.add(String(id));
    if (place.saturated !== undefined) saturated.push(place.saturated);
    if (page.hasMore) continue;
    const cursors = service.requests.map(({ lastSyncedAt }) => lastSyncedAt);
    return { ids: [...ids], saturated, cursors, reached: place.reached, pages };
  }
  throw new Error('the list does not end');
}

const answer = (page: object) => () =>
  ({ entities: [], invalid: [], hasMore: true, ...page }) as ListPage;

describe('each request', () => {
  it('starts one millisecond early', async () => {
    const { cursors, reached } = await read(listOf([1, 2, 3]), undefined, { cursor: timeAt(0) });
    expect(cursors).toEqual([timeAt(-0.001), timeAt(1.999)]);
    expect(reached).toBe(timeAt(3));
  });

  it('has milliseconds, cut down from finer times', async () => {
    const service = listOf([1]);
    const fine = '2026-03-02T08:00:05.125999Z';
    service.answerNext(PATH, answer({ entities: [{ id: 'a', updated_at: fine }] }));
    const { cursors } = await read(service, undefined, { cursor: timeAt(1.0039) });
    expect(cursors).toEqual([timeAt(1.002), timeAt(5.124)]);
  });

  it('goes by the earlier of the header and the last entity', async () => {
    const service = listOf([1, 2, 3, 4, 5]);
    const ahead = (page: ListPage): ListPage => ({ ...page, lastSyncedAt: timeAt(4) });
    const behind = (page: ListPage): ListPage => ({ ...page, lastSyncedAt: timeAt(2.5) });
    service.answerNext(PATH, ahead, behind);
    const { cursors } = await read(service);
    expect(cursors.slice(0, 3)).toEqual([undefined, timeAt(1.999), timeAt(2.499)]);
  });

  it('goes by the entities where the header leads nowhere', async () => {
    const service = listOf([1, 2, 3, 4]);
    const still = (page: ListPage): ListPage => ({ ...page, lastSyncedAt: timeAt(0) });
    service.answerNext(PATH, still, still, still, still);
    const { cursors } = await read(service);
    expect(cursors).toEqual([undefined, timeAt(-0.001), timeAt(1.999), timeAt(2.999)]);
  });

  it('goes by the header alone only behind the largest page, and reports that', async () => {
    const invalid = [{ value: { id: 'x' }, reason: 'no time' }];
    const untimed = answer({ invalid, lastSyncedAt: timeAt(2) });
    const service = listOf([1, 2, 3]);
    service.answerNext(PATH, untimed, untimed);
    const { saturated, cursors, pages } = await read(service);
    expect(cursors.slice(0, 3)).toEqual([undefined, undefined, timeAt(1.999)]);
    expect(pages[1]?.reached).toBeUndefined();
    expect(service.requests[1]?.perPage).toBe(1000);
    expect(saturated).toEqual([timeAt(2)]);
  });

  it('sends nothing before the year 1', async () => {
    const start = { cursor: '0001-01-01T00:00:00.000Z' };
    expect((await read(listOf([1]), undefined, start)).cursors).toEqual([undefined]);
  });
});

describe.each(['>', '>='] as const)(
  'more entities at one timestamp than a page, with %s,',
  (filter) => {
    it('are read by a larger page', async () => {
      const service = listOf([1, 5, 5, 5, 5, 6], { filter });
      const { ids, saturated } = await read(service);
      expect([ids.length, saturated]).toEqual([6, []]);
      expect(Math.max(...service.requests.map(({ perPage }) => perPage))).toBe(1000);
    });

    it.each([2, 1000])(
      'are stepped over and reported once by the largest page, after one of %d',
      async (perPage) => {
        const service = listOf([1, 5, 5, 5, 5, 6], { filter, largestPage: 2 });
        const { ids, saturated, cursors, pages } = await read(service, new PageSize(perPage));
        expect(ids).toContain('e5');
        expect(pages.slice(0, 2).map(({ hasAdvanced }) => hasAdvanced)).toEqual([true, false]);
        expect(saturated).toEqual([timeAt(5)]);
        expect(cursors).toEqual(expect.arrayContaining([timeAt(4.999), timeAt(5)]));
      },
    );
  },
);

describe('a list that cannot be read on', () => {
  it('names two entities out of order, if there is more behind them', async () => {
    const service = listOf([1]);
    const entities = [
      { id: 'a', updated_at: timeAt(9) },
      { id: 'b', updated_at: timeAt(3) },
    ];
    service.answerNext(PATH, answer({ entities }));
    const message = `the list must ascend by updated_at, but a (${timeAt(9)}) comes before b`;
    await expect(read(service)).rejects.toThrow(message);
    service.answerNext(PATH, answer({ entities, hasMore: false }));
    expect((await read(service)).ids).toEqual(['a', 'b']);
  });

  it('goes by the headers of empty pages, ten in a row at most', async () => {
    const empty = (n: number) => answer({ lastSyncedAt: `2026-03-02T08:00:0${n}+00:00` });
    const service = listOf([20]);
    service.answerNext(PATH, ...Array.from({ length: 9 }, (_, n) => empty(n)));
    expect((await read(service, new PageSize(1000))).ids).toEqual(['e0']);
    service.answerNext(PATH, ...Array.from({ length: 10 }, (_, n) => empty(n)));
    const failing = read(service, new PageSize(1000));
    await expect(failing).rejects.toThrow('does not go on after last_synced_at');
  });

  it('reads the ties of what an empty page hid', async () => {
    const service = listOf([20, 20, 30]);
    service.answerNext(PATH, answer({ lastSyncedAt: timeAt(20) }));
    expect((await read(service)).ids).toEqual(['e0', 'e1', 'e2']);
  });

  it('goes by valid entities where an invalid one is out of order, without a header', async () => {
    const service = listOf([10, 12, 30]);
    const invalid = [{ value: { updated_at: timeAt(40) }, reason: 'no id' }];
    const { entities } = await service.fetchPage({ path: PATH, perPage: 2 });
    service.answerNext(PATH, answer({ entities, invalid }));
    expect((await read(service)).ids).toEqual(['e0', 'e1', 'e2']);
  });

  it('passes empty pages by a larger page: small ones may hold only entities of others', async () => {
    const service = listOf([30]);
    const empty = (n: number) => answer({ lastSyncedAt: timeAt(n) });
    service.answerNext(PATH, ...Array.from({ length: 11 }, (_, n) => empty(n)));
    expect((await read(service, new PageSize(100, 1))).ids).toEqual(['e0']);
    const sizes = service.requests.map(({ perPage }) => perPage);
    expect(sizes.slice(9)).toEqual([1, 1000, 1000]);
  });

  it.each([
    ['an empty page has no cursor', answer({})],
    ['nothing on its pages has a time', answer({ invalid: [{ value: {}, reason: 'no id' }] })],
  ])('fails if %s', async (_, page) => {
    const service = listOf([1]);
    service.answerNext(PATH, page, page);
    await expect(read(service)).rejects.toThrow('does not go on after last_synced_at (none)');
  });
});

describe('a page', () => {
  const tooLarge = (): never => {
    throw new PageTooLargeError('more than 9 bytes', { hint: 'Raise memoryMb.' });
  };
  const tooSlow = (): never => {
    throw new PageTooSlowError('no answer in time', { hint: 'Wait.' });
  };

  it('that is too large is asked for again at half its size', async () => {
    const service = listOf([1, 2, 3]);
    service.answerNext(PATH, tooLarge, tooLarge);
    const size = new PageSize(8);
    await read(service, size);
    expect(service.requests.map(({ perPage }) => perPage)).toEqual([8, 4, 2, 2]);
    expect(size.keptAfter(false)).toBe(2);
  });

  it('of one entity that is too large fails the list', async () => {
    const service = listOf([1]);
    service.answerNext(PATH, tooLarge);
    await expect(read(service, new PageSize(1))).rejects.toThrow(PageTooLargeError);
  });

  it('that is too slow fails the list, and the error has its size', async () => {
    const service = listOf([5, 5, 5]);
    service.answerNext(PATH, tooSlow);
    await expect(read(service)).rejects.toMatchObject({
      page: { perPage: 2, tie: undefined },
    });
    const whole = (page: ListPage): ListPage => page;
    service.answerNext(PATH, whole, whole, tooSlow);
    const slow = { page: { perPage: 1000, tie: timeAt(5) } };
    await expect(read(service)).rejects.toMatchObject(slow);
  });

  it('grows no further in a tie than the size that is kept for it', async () => {
    const service = listOf([5, 5, 5, 5, 6]);
    const start = { cursor: timeAt(4), slowTie: { at: timeAt(5), perPage: 3 } };
    const { saturated } = await read(service, new PageSize(2), start);
    expect(service.requests.map(({ perPage }) => perPage)).toEqual([2, 2, 3, 3]);
    expect(saturated).toEqual([timeAt(5)]);
    const elsewhere = { cursor: timeAt(4), slowTie: { at: timeAt(4), perPage: 3 } };
    expect((await read(service, new PageSize(2), elsewhere)).saturated).toEqual([]);
  });
});
