import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../functions/core/errors.ts';
import { at } from '../../support/list-service.ts';
import { all, cursors, empty, LIST, listOf, sent, shown, walkAll } from '../../support/walks.ts';

describe('a walk', () => {
  it('asks without last_synced_at first, then with exactly what it was given, to the end', async () => {
    const api = listOf([1, 2, 3, 4], { filter: '>=' });
    const pages = await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(2), at(3)]);
    expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(shown(pages)).toEqual(all(4));
  });

  it('sends the cursor as it was given, not as it would write it', async () => {
    const given = at(2).replace('.000Z', '+00:00');
    const api = listOf([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: given }));
    await walkAll(api);
    await walkAll(api, { filters: new Map([['projects', 'inclusive']]) });
    expect(sent(api).filter((cursor) => cursor === given)).toHaveLength(1);
  });

  it('starts where its feed stands', async () => {
    const api = listOf([1, 2, 3]);
    const pages = await walkAll(api, { cursor: at(2) });
    expect(sent(api)).toEqual([at(2)]);
    expect(pages).toMatchObject([{ sent: at(2), cursor: at(3), isLast: true }]);
  });

  it('leaves the cursor before the end of a page that is not the last: it may cut a tie', async () => {
    const pages = await walkAll(listOf([1, 2, 3, 4], { filter: '>=' }));
    expect(cursors(pages)).toEqual([at(1.999), at(2.999), at(4)]);
  });

  it('keeps its cursor on an empty page, even if the service returns a newer one', async () => {
    const api = listOf([]);
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: at(999) }));
    const [page] = await walkAll(api, { cursor: at(7) });
    expect(page).toMatchObject({ cursor: at(7), isLast: true, isSettled: false });
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
      unusable: [{ value: { updated_at: at(5) }, reason }],
    }));
    expect(cursors(await walkAll(api))).toEqual([at(5)]);
    for (const value of [null, 'text', {}]) {
      const unusable = [{ value, reason }];
      api.answerNext(LIST, (page) => ({ ...page, entities: [], unusable, lastSyncedAt: at(6) }));
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

  it('fails when a list takes no notice of last_synced_at', async () => {
    const api = listOf([1, 2, 3]);
    const always = { entities: [{ id: 'p0', updated_at: at(1) }], unusable: [], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => always));
    await expect(walkAll(api, { cursor: at(7) })).rejects.toThrow(ProtocolError);
    expect(api.requests.length).toBeLessThan(5);
  });

  it('fails when nothing on the page has a time, and no cursor leads on', async () => {
    const api = listOf([1]);
    const page = { entities: [], unusable: [{ value: {}, reason: 'no id' }], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => page));
    await expect(walkAll(api)).rejects.toThrow('last_synced_at (none)');
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});
