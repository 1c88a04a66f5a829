import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../../functions/core/model/errors.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { CursorFilters } from '../../../../functions/core/paging/cursor-filter.ts';
import { at } from '../../../support/list-service.ts';
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

const { projects } = makeCatalog();

describe('a walk', () => {
  it('asks without last_synced_at first, then with exactly what it was given, to the end', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    const pages = await walkAll(api);
    expect(requestedCursor(api)).toEqual([undefined, at(2), at(3)]);
    expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(pages.map(({ isCaughtUp }) => isCaughtUp)).toEqual([false, false, true]);
    expect(shown(pages)).toEqual(all(4));
  });

  it('says nothing of a cursor where there is none', async () => {
    const api = listOf([]);
    expect(await walkAll(api)).toStrictEqual([
      { page: { entities: [], invalid: [], hasMore: false }, isLast: true, isCaughtUp: false },
    ]);
    expect(api.requests).toStrictEqual([{ path: LIST, perPage: 2 }]);
  });

  it('asks with the query parameters of its list on every page', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    await walkAll(api, { resource: { ...projects, query: { with: 'all' } } });
    expect(api.requests.map(({ query }) => query)).toEqual(Array(3).fill({ with: 'all' }));
  });

  it.each([
    ['is not known', new Map()],
    ['is known', new Map([['projects', 'inclusive']])],
  ] as [string, CursorFilters][])(
    'sends the cursor as it was given, not as it would write it, where the filter %s',
    async (_, filters) => {
      const given = at(2).replace('.000Z', '+00:00');
      const api = listOf([1, 2, 3], { filter: '>=' });
      api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: given }));
      await walkAll(api, { filters });
      expect(requestedCursor(api).slice(0, 2)).toEqual([undefined, given]);
    },
  );

  it('starts where its feed stands', async () => {
    const api = listOf([1, 2, 3]);
    const pages = await walkAll(api, { cursor: at(2) });
    expect(requestedCursor(api)).toEqual([at(2)]);
    expect(pages).toMatchObject([{ requestedCursor: at(2), cursor: at(3), isLast: true }]);
  });

  it('leaves the cursor before the end of a page that is not the last: it may cut a tie', async () => {
    const pages = await walkAll(listOf([1, 2, 3, 4], { filter: '>=' }));
    expect(cursors(pages)).toEqual([at(1.999), at(2.999), at(4)]);
  });

  it('keeps its cursor on an empty page, even if the service returns a newer one', async () => {
    const api = listOf([]);
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: at(999) }));
    const [page] = await walkAll(api, { cursor: at(7) });
    expect(page).toMatchObject({ cursor: at(7), isLast: true, isCaughtUp: false });
  });

  it('moves over a page with as many entities as there are others that cannot be worked with', async () => {
    const api = listOf([5]);
    api.answerNext(LIST, (page) => ({ ...page, invalid: [{ value: {}, reason: 'no id' }] }));
    expect(cursors(await walkAll(api, { cursor: at(3) }))).toEqual([at(5)]);
  });

  it('never goes back behind its cursor, whatever a page shows', async () => {
    const api = listOf([1, 2]);
    api.answerNext(LIST, (page) => ({ ...page, entities: [{ id: 'p0', updated_at: at(1) }] }));
    const pages = await walkAll(api, { cursor: at(7) });
    expect(cursors(pages)).toEqual([at(7)]);
  });

  it('moves over what cannot be worked with by its updated_at, or else by the header', async () => {
    const api = listOf([1]);
    const reason = 'no id';
    api.answerNext(LIST, (page) => ({
      ...page,
      entities: [],
      invalid: [{ value: { updated_at: at(5) }, reason }],
    }));
    expect(cursors(await walkAll(api))).toEqual([at(5)]);
    for (const value of [null, 'text', {}]) {
      const invalid = [{ value, reason }];
      api.answerNext(LIST, (page) => ({ ...page, entities: [], invalid, lastSyncedAt: at(6) }));
      expect(cursors(await walkAll(api, { cursor: at(3) }))).toEqual([at(6)]);
    }
  });
});

describe('a walk that has no way on', () => {
  it.each([
    ['an empty page without a cursor', undefined],
    ['an empty page whose cursor stands still', at(2)],
    ['an empty page whose cursor goes back', at(1)],
  ])('fails rather than loop or skip: %s', async (_, lastSyncedAt) => {
    const api = listOf([1, 2, 3]);
    api.answerNext(LIST, empty({ ...(lastSyncedAt && { lastSyncedAt }) }));
    const walking = walkAll(api, { cursor: at(2) });
    await expect(walking).rejects.toThrow(ProtocolError);
    await expect(walking).rejects.toThrow(
      `projects: X-Has-More is true, but the list does not go on after last_synced_at ${at(2)}: ` +
        `got X-Last-Synced-At ${lastSyncedAt ?? '(none)'} with 0 entities`,
    );
    await expect(walking).rejects.toMatchObject({
      hint: expect.stringContaining('Nothing is skipped; the feed is tried again.') as string,
    });
    expect(api.requests).toHaveLength(1);
  });

  it('fails when a list goes on for ever without an entity', async () => {
    const api = listOf([1]);
    let n = 100;
    const page = () => empty({ lastSyncedAt: at((n += 1)) })();
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => page));
    await expect(walkAll(api)).rejects.toThrow('last_synced_at 2026');
    expect(api.requests).toHaveLength(10);
  });

  it('counts the pages without an entity anew after each one that has some', async () => {
    const api = listOf([500]);
    let n = 100;
    const without = () => empty({ lastSyncedAt: at((n += 1)) })();
    const ninePages = Array.from({ length: 9 }, () => without);
    const filled = () => ({
      ...without(),
      entities: [{ id: 'p1', updated_at: at(n) }],
    });
    api.answerNext(LIST, ...ninePages, filled, ...ninePages);
    expect(shown(await walkAll(api))).toEqual(['p1', 'p0']);
  });

  it('fails when a list takes no notice of last_synced_at', async () => {
    const api = listOf([1, 2, 3]);
    const always = { entities: [{ id: 'p0', updated_at: at(1) }], invalid: [], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => always));
    await expect(walkAll(api, { cursor: at(7) })).rejects.toThrow(ProtocolError);
    expect(api.requests.length).toBeLessThan(5);
  });

  it('fails when nothing on the page has a time, and no cursor leads on', async () => {
    const api = listOf([1]);
    const page = { entities: [], invalid: [{ value: {}, reason: 'no id' }], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => page));
    await expect(walkAll(api)).rejects.toThrow('last_synced_at (none)');
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});
