import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../functions/core/errors.ts';
import { newFeed, type Feed } from '../../../functions/core/feed.ts';
import { makeCatalogue } from '../../../functions/core/resources.ts';
import { walk, type WalkedPage } from '../../../functions/core/walk.ts';
import { at, ListService } from '../../support/list-service.ts';

const { projects } = makeCatalogue();
const LIST = projects.path;

function service(seconds: readonly number[]): ListService {
  const api = new ListService();
  api.clear(LIST);
  api.put(LIST, ...seconds.map((n) => ({ id: `p${n}`, updated_at: at(n) })));
  return api;
}

async function walkAll(
  api: ListService,
  feed: Partial<Feed> = {},
  overlapMs = 0,
): Promise<WalkedPage[]> {
  const from = { ...newFeed(projects, 'live'), ...feed };
  const options = { perPage: 2, overlapMs };
  return Array.fromAsync(walk(api, projects, from, options, new AbortController().signal));
}

const sent = (api: ListService) => api.requests.map(({ lastSyncedAt }) => lastSyncedAt);

describe('a walk', () => {
  it('asks without last_synced_at first, then with exactly what it was given, to the end', async () => {
    const api = service([1, 2, 3, 4, 5]);
    const pages = await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(2), at(4)]);
    expect(pages.map(({ cursor, isLast }) => [cursor, isLast])).toEqual([
      [at(2), false],
      [at(4), false],
      [at(5), true],
    ]);
  });

  it('sends the cursor as it was given, not as it would write it', async () => {
    const api = service([1, 2, 3]);
    const given = at(2).replace('.000Z', '+00:00');
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: given }));
    const [first] = await walkAll(api);
    expect(sent(api)[1]).toBe(given);
    expect(first?.cursor).toBe(at(2));
  });

  it('starts before its cursor by the overlap, and does not move the cursor back for it', async () => {
    const api = service([50, 55, 58, 120]);
    const pages = await walkAll(api, { cursor: at(110) }, 60_000);
    expect(sent(api)[0]).toBe(at(50));
    expect(pages.map(({ cursor }) => cursor)).toEqual([at(110), at(120)]);
  });

  it('keeps its cursor on an empty page, even if the service returns a newer one', async () => {
    const api = service([]);
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: at(999) }));
    const [page] = await walkAll(api, { cursor: at(7) });
    expect(page).toMatchObject({ cursor: at(7), isLast: true });
  });

  it('does not take a cursor for its own that is ahead of what the page holds', async () => {
    const api = service([1, 2, 3]);
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: at(999) }));
    const pages = await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(999)]);
    expect(pages.map(({ cursor }) => cursor)).toEqual([at(2), at(2)]);
  });

  it('takes the largest updated_at of a page without X-Last-Synced-At', async () => {
    const api = service([1, 2, 3]);
    api.answerNext(LIST, ({ entities, unusable }) => ({
      entities: [...entities].reverse(),
      unusable,
      hasMore: true,
    }));
    await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(2)]);
  });

  it.each([
    ['stands still', at(2)],
    ['goes back', at(1)],
    ['is absent on an empty page', undefined],
  ])('gives up rather than loop or skip when there is more but the cursor %s', async (_, given) => {
    const api = service([1, 2, 3, 4]);
    api.answerNext(
      LIST,
      (page) => page,
      (page) =>
        given === undefined
          ? { entities: [], unusable: [], hasMore: true }
          : { ...page, hasMore: true, lastSyncedAt: given },
    );
    const walking = walkAll(api);
    await expect(walking).rejects.toThrow(ProtocolError);
    await expect(walking).rejects.toThrow(`last_synced_at ${at(2)}`);
    expect(api.requests).toHaveLength(2);
  });

  it('gives up on a list that goes on for ever without an entity', async () => {
    const api = service([1]);
    let n = 100;
    const empty = () => ({ entities: [], unusable: [], hasMore: true, lastSyncedAt: at((n += 1)) });
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => empty));
    await expect(walkAll(api)).rejects.toThrow(ProtocolError);
    expect(api.requests).toHaveLength(10);
  });

  it('follows an advancing cursor over an empty page without taking it for its own', async () => {
    const api = service([1, 2, 9]);
    api.answerNext(
      LIST,
      (page) => page,
      () => ({ entities: [], unusable: [], hasMore: true, lastSyncedAt: at(5) }),
    );
    const pages = await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(2), at(5)]);
    expect(pages.map(({ cursor }) => cursor)).toEqual([at(2), at(2), at(9)]);
  });
});
