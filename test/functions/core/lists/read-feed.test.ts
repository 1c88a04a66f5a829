import { describe, expect, it } from 'vitest';
import { readAhead } from '../../../../functions/core/lists/read-ahead.ts';
import { FeedReader, type FeedPage } from '../../../../functions/core/lists/read-feed.ts';
import { newFeed, type Feed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import type { Page } from '../../../../functions/core/ports/service-api.ts';
import { ListService, timeAt } from '../../../support/list-service.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

const { projects } = makeCatalog();
const { signal } = new AbortController();

/** A list with an entity for each second, our clock, and that of the service if it has one. */
function listAt(now: number, seconds: readonly number[], serviceNow?: number) {
  const clock = new ManualClock(Date.parse(timeAt(now)));
  const date = serviceNow === undefined ? undefined : () => Date.parse(timeAt(serviceNow));
  const api = new ListService({ clock: date });
  for (const n of seconds) api.put(projects.path, { id: `p${n}`, updated_at: timeAt(n) });
  const poll = async (fields: Partial<Feed> = {}, perPage = 3): Promise<FeedPage[]> => {
    const options = { perPage, lookbackMs: 60_000 };
    const feed = { ...newFeed(projects, 'live'), ...fields };
    const reader = new FeedReader(projects, feed, { api, clock, options });
    const pages: FeedPage[] = [];
    while (pages.at(-1)?.isLast !== true) pages.push(await reader.next(signal));
    return pages;
  };
  return { api, clock, poll };
}

describe('the cursor after a page', () => {
  it.each([
    ['the lookback before our clock, without a Date', 100, undefined, 40],
    ['the lookback before the Date, if that is earlier', 100, 90, 30],
    ['the lookback before our clock, if that is earlier', 100, 110, 40],
    ['the lookback before our clock, if the Date cannot be true', 100, -90_000, 40],
    ['at the latest entity, if that is earlier', 900, 900, 99],
  ])('is %s', async (_, now, serviceNow, expected) => {
    const [page] = await listAt(now, [99], serviceNow).poll();
    expect(page?.cursor).toBe(timeAt(expected));
  });

  it('never goes back, nor past that for an entity that is dated ahead', async () => {
    const { poll } = listAt(100, [10, 99_000]);
    expect((await poll()).at(-1)?.cursor).toBe(timeAt(40));
    expect((await poll({ cursor: timeAt(50) })).at(-1)?.cursor).toBe(timeAt(50));
  });

  it('is where the next request starts, if the header is behind the last entity', async () => {
    const { api, poll } = listAt(900, [1, 2, 3, 4]);
    api.answerNext(projects.path, (page) => ({ ...page, lastSyncedAt: timeAt(2) }));
    expect((await poll())[0]?.cursor).toBe(timeAt(2));
  });

  it('is by the time at which the poll began, however long it lasts', async () => {
    const { api, clock, poll } = listAt(100, [1, 2, 3, 99]);
    api.answerNext(projects.path, (page) => {
      clock.advance(600_000);
      return page;
    });
    expect((await poll()).map(({ cursor }) => cursor)).toEqual([timeAt(3), timeAt(40)]);
  });
});

describe('a poll', () => {
  /** Entities that change while the list is read: the list never ends. */
  const moving = ({ api, clock }: ReturnType<typeof listAt>, seconds: number) => {
    const move = (page: Page): Page => {
      clock.advance(seconds * 1000);
      for (let n = 0; n < 8; n += 1) {
        const updated_at = new Date(clock.now() - 100 * (n + 1)).toISOString();
        api.put(projects.path, { id: `new${n}`, updated_at });
      }
      return page;
    };
    api.answerNext(projects.path, ...Array.from({ length: 20 }, () => move));
  };

  it('ends at a page that changed as a whole since it began, and before it was read', async () => {
    const list = listAt(100, [1, 2, 3, 4, 5]);
    moving(list, 10);
    const pages = await list.poll({}, 4);
    expect(pages.length).toBeLessThan(5);
    expect(pages.at(-1)?.page.hasMore).toBe(true);
    expect(pages.at(-1)?.cursor).toBe(timeAt(40));
  });

  it('does not end before entities that are dated ahead', async () => {
    const { poll } = listAt(100, [1, 200, 201, 202, 203, 204]);
    const ids = (await poll()).flatMap(({ page }) => page.entities.map(({ id }) => id));
    expect(ids).toContain('p204');
  });

  it.each([
    ['is empty', []],
    ['holds an older change, too', [1, 105]],
  ])('does not end at a page that %s, if there is more', async (_, seconds) => {
    const { api, clock, poll } = listAt(100, [1, 2, 3, 4]);
    api.answerNext(projects.path, (page) => {
      clock.advance(10_000);
      const entities = seconds.map((n) => ({ id: `p${n}`, updated_at: timeAt(n) }));
      return { ...page, entities };
    });
    expect((await poll()).at(-1)?.page.hasMore).toBe(false);
  });

  it('fails for a list that is out of order, with the name of the list', async () => {
    const { api, poll } = listAt(100, [1, 2, 3, 4]);
    const reversed = (page: Page) => ({ ...page, entities: page.entities.toReversed() });
    api.answerNext(projects.path, reversed);
    await expect(poll()).rejects.toMatchObject({
      message: expect.stringMatching(/^projects: /) as string,
      hint: expect.stringContaining('provider') as string,
    });
  });

  it('of one page with nothing behind it says so', async () => {
    const { poll } = listAt(900, [1, 2, 3, 4]);
    expect((await poll()).map(({ isOnly }) => isOnly)).toEqual([false, false]);
    expect((await poll({ cursor: timeAt(4) })).map(({ isOnly }) => isOnly)).toEqual([true]);
  });
});

it('a list is asked for by its query, in the size that its feed keeps', async () => {
  const { api, clock } = listAt(900, [1, 2, 3, 4]);
  const options = { perPage: 3, lookbackMs: 0 };
  const feed = { ...newFeed(projects, 'live'), pageSize: 2 };
  const resource = { ...projects, query: { a: '1' } };
  const { size } = await new FeedReader(resource, feed, { api, clock, options }).next(signal);
  expect(api.requests[0]).toStrictEqual({ path: '/projects', query: { a: '1' }, perPage: 2 });
  expect(size).toStrictEqual({ pageSize: 2 });
  const [whole] = await listAt(900, [1]).poll();
  expect(whole?.size).toStrictEqual({});
});

it('the mark of a saturated timestamp stays until a poll has read on from before it', async () => {
  const { poll } = listAt(900, [1, 2, 3, 4, 5, 6]);
  const marks = async (cursor: number) =>
    (await poll({ cursor: timeAt(cursor), saturatedAt: timeAt(3) })).map(
      ({ size }) => size.saturatedAt,
    );
  expect(await marks(5)).toEqual([timeAt(3)]);
  expect((await marks(3)).at(-1)).toBeUndefined();
});

it('the next page is requested while the current one is worked, and a turn ends after some pages', async () => {
  const { api, clock } = listAt(900, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const options = { perPage: 3, lookbackMs: 0 };
  const reader = new FeedReader(projects, newFeed(projects, 'live'), { api, clock, options });
  const requestCounts: number[] = [];
  const limit = { pagesPerTurn: 2, hasWaiting: () => true, clock };
  const turn = readAhead(reader, signal, limit);
  for (let pages = 0; pages < 2; pages += 1) {
    const next = turn.next();
    await settlePromises();
    clock.advance(1);
    expect((await next).done).toBe(false);
    requestCounts.push(api.requests.length);
  }
  expect((await turn.next()).done).toBe(true);
  expect(requestCounts).toEqual([2, 2]);
});
