import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../../functions/core/model/errors.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { FeedPage } from '../../../../functions/core/paging/feed-page.ts';
import { timeAt } from '../../../support/list-service.ts';
import {
  firstIds,
  cursorsOf,
  emptyPage,
  LIST_PATH,
  listOf,
  requestedCursors,
  shownIds,
  readList,
} from '../../../support/paginator-setup.ts';

const { projects } = makeCatalog();

describe('a paginator', () => {
  it('requests without last_synced_at first, then with exactly the given cursor, to the end', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    const pages = await readList(api);
    expect(requestedCursors(api)).toEqual([undefined, timeAt(2), timeAt(3)]);
    expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(pages.map(({ isCaughtUp }) => isCaughtUp)).toEqual([false, false, true]);
    expect(shownIds(pages)).toEqual(firstIds(4));
  });

  it('has no cursor for an empty list without one', async () => {
    const api = listOf([]);
    expect(await readList(api)).toEqual([
      {
        ...{ page: { entities: [], invalid: [], hasMore: false, requestedAt: timeAt(3_600) } },
        ...{ hasAdvanced: false, isSlowed: false, isLast: true, isCaughtUp: false },
      },
    ]);
    expect(api.requests).toStrictEqual([{ path: LIST_PATH, perPage: 2 }]);
  });

  it('sends the query parameters of its list on every page', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    await readList(api, { resource: { ...projects, query: { with: 'all' } } });
    expect(api.requests.map(({ query }) => query)).toEqual(Array(3).fill({ with: 'all' }));
  });

  it('sends the cursor exactly as given', async () => {
    const given = timeAt(2).replace('.000Z', '+00:00');
    const api = listOf([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST_PATH, (page) => ({ ...page, lastSyncedAt: given }));
    await readList(api);
    expect(requestedCursors(api).slice(0, 2)).toEqual([undefined, given]);
  });

  it('starts at the cursor of its feed', async () => {
    const api = listOf([1, 2, 3]);
    const pages = await readList(api, { cursor: timeAt(2) });
    expect(requestedCursors(api)).toEqual([timeAt(2)]);
    expect(pages).toMatchObject([{ requestedCursor: timeAt(2), cursor: timeAt(3), isLast: true }]);
  });

  it('keeps its cursor on an empty page, although the service returns a later one', async () => {
    const api = listOf([]);
    api.answerNext(LIST_PATH, (page) => ({ ...page, lastSyncedAt: timeAt(999) }));
    const [page] = await readList(api, { cursor: timeAt(7) });
    expect(page).toMatchObject({ cursor: timeAt(7), isLast: true, isCaughtUp: false });
  });

  it('moves over a page with as many invalid as valid entities', async () => {
    const api = listOf([5]);
    api.answerNext(LIST_PATH, (page) => ({ ...page, invalid: [{ value: {}, reason: 'no id' }] }));
    expect(cursorsOf(await readList(api, { cursor: timeAt(3) }))).toEqual([timeAt(5)]);
  });

  it('never goes back behind its cursor', async () => {
    const api = listOf([1, 2]);
    api.answerNext(LIST_PATH, (page) => ({
      ...page,
      entities: [{ id: 'p0', updated_at: timeAt(1) }],
    }));
    const pages = await readList(api, { cursor: timeAt(7) });
    expect(cursorsOf(pages)).toEqual([timeAt(7)]);
  });

  it('moves over invalid entities by their updated_at, or else by the header', async () => {
    const api = listOf([1]);
    const reason = 'no id';
    api.answerNext(LIST_PATH, (page) => ({
      ...page,
      entities: [],
      invalid: [{ value: { updated_at: timeAt(5) }, reason }],
    }));
    expect(cursorsOf(await readList(api))).toEqual([timeAt(5)]);
    for (const value of [null, 'text', {}]) {
      const invalid = [{ value, reason }];
      const header = { lastSyncedAt: timeAt(6) };
      api.answerNext(LIST_PATH, (page) => ({ ...page, entities: [], invalid, ...header }));
      expect(cursorsOf(await readList(api, { cursor: timeAt(3) }))).toEqual([timeAt(6)]);
    }
  });
});

describe('a list that stands still', () => {
  it.each([
    ['an empty page without a cursor', undefined],
    ['an empty page whose cursor stands still', timeAt(2)],
    ['an empty page whose cursor goes back', timeAt(1)],
  ])('fails on %s', async (_, lastSyncedAt) => {
    const api = listOf([1, 2, 3]);
    api.answerNext(LIST_PATH, emptyPage({ ...(lastSyncedAt && { lastSyncedAt }) }));
    const reading = readList(api, { cursor: timeAt(2) });
    await expect(reading).rejects.toThrow(ProtocolError);
    await expect(reading).rejects.toThrow(
      `projects: the list does not go on after last_synced_at ${timeAt(2)}: ` +
        `X-Has-More is true, but X-Last-Synced-At is ${lastSyncedAt ?? '(none)'} with 0 entities`,
    );
    await expect(reading).rejects.toMatchObject({
      hint: expect.stringContaining('Nothing is skipped.') as string,
    });
    expect(api.requests).toHaveLength(1);
  });

  /** Empty pages whose cursors lead on second by second. */
  const emptyPages = (count: number, from = 100) => {
    let n = from;
    return Array.from({ length: count }, () => ({ readAfter }: FeedPage['page']) => ({
      ...emptyPage({ lastSyncedAt: timeAt((n += 1)) })(),
      ...(readAfter !== undefined && { readAfter }),
    }));
  };

  it('goes on over any number of empty pages whose cursor advances through the past', async () => {
    const api = listOf([500], { clock: () => Date.parse(timeAt(900)) });
    api.answerNext(LIST_PATH, ...emptyPages(50));
    const pages = await readList(api);
    expect(shownIds(pages)).toEqual(['p0']);
    expect(cursorsOf(pages).slice(0, 2)).toEqual([timeAt(100), timeAt(101)]);
  });

  it('fails after ten empty pages that lead on beyond the present', async () => {
    const api = listOf([500], { clock: () => Date.parse(timeAt(50)) });
    api.answerNext(LIST_PATH, ...emptyPages(50, 1e8));
    await expect(readList(api)).rejects.toThrow('does not go on after');
    expect(api.requests).toHaveLength(11);
  });

  it('does not take for beyond the present what is past by our clock: a Date may be hours behind, or the last one old', async () => {
    const api = listOf([500], { clock: () => Date.parse(timeAt(50)) });
    api.answerNext(LIST_PATH, ...emptyPages(50));
    expect(shownIds(await readList(api))).toEqual(['p0']);
  });

  it('counts such pages anew after each page with entities', async () => {
    const api = listOf([500], { clock: () => Date.parse(timeAt(50)) });
    const filled = () => ({
      ...emptyPage({ lastSyncedAt: timeAt(109.5) })(),
      entities: [{ id: 'p1', updated_at: timeAt(109.5) }],
    });
    api.answerNext(LIST_PATH, ...emptyPages(9), filled, ...emptyPages(9, 110));
    expect(shownIds(await readList(api))).toContain('p1');
  });

  it('fails if the service ignores last_synced_at', async () => {
    const api = listOf([1, 2, 3]);
    const always = { entities: [{ id: 'p0', updated_at: timeAt(1) }], invalid: [], hasMore: true };
    api.answerNext(LIST_PATH, ...Array.from({ length: 50 }, () => () => always));
    await expect(readList(api, { cursor: timeAt(7) })).rejects.toThrow(ProtocolError);
    expect(api.requests.length).toBeLessThan(5);
  });

  it('fails if nothing on the page has a timestamp and no cursor leads on', async () => {
    const api = listOf([1]);
    const page = { entities: [], invalid: [{ value: {}, reason: 'no id' }], hasMore: true };
    api.answerNext(LIST_PATH, ...Array.from({ length: 50 }, () => () => page));
    await expect(readList(api)).rejects.toThrow('last_synced_at (none)');
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});
