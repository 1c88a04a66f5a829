import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/core/entity.ts';
import { ProtocolError } from '../../../functions/core/errors.ts';
import { newFeed, type Feed } from '../../../functions/core/feed.ts';
import { makeCatalogue } from '../../../functions/core/resources.ts';
import {
  Walk,
  type Filters,
  type WalkedPage,
  type WalkOptions,
} from '../../../functions/core/walk.ts';
import { at, ListService, type ListServiceOptions } from '../../support/list-service.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const { projects } = makeCatalogue();
const LIST = projects.path;

interface WalkSetUp extends Partial<WalkOptions> {
  readonly cursor?: string;
  readonly filters?: Filters;
  readonly clock?: ManualClock;
}

/** A list with an entity for each second; a second that is given twice is a tie. */
function service(seconds: readonly number[], options?: ListServiceOptions): ListService {
  const api = new ListService(options);
  api.clear(LIST);
  api.put(LIST, ...seconds.map((n, i) => ({ id: `p${i}`, updated_at: at(n) })));
  return api;
}

function walkOf(api: ListService, { cursor, filters, clock, ...options }: WalkSetUp = {}): Walk {
  const feed: Feed = { ...newFeed(projects, 'live'), ...(cursor !== undefined && { cursor }) };
  return new Walk(projects, feed, {
    api,
    clock: clock ?? new ManualClock(),
    walk: { perPage: 2, overlapMs: 0, ...options },
    filters: filters ?? (new Map() as Filters),
  });
}

async function walkAll(api: ListService, setUp?: WalkSetUp): Promise<WalkedPage[]> {
  const walk = walkOf(api, setUp);
  const pages: WalkedPage[] = [];
  do pages.push(await walk.next(new AbortController().signal));
  while (pages.at(-1)?.isLast === false);
  return pages;
}

const sent = (api: ListService) => api.requests.map(({ lastSyncedAt }) => lastSyncedAt);
const shown = (pages: readonly WalkedPage[]) => [
  ...new Set(pages.flatMap(({ page }) => page.entities.map(({ id }) => id))),
];
const all = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);
const cursors = (pages: readonly WalkedPage[]) => pages.map(({ cursor }) => cursor);
const empty = (fields: JsonObject) => () => ({
  entities: [],
  unusable: [],
  hasMore: true,
  ...fields,
});

describe('a walk', () => {
  it('asks without last_synced_at first, then with exactly what it was given, to the end', async () => {
    const api = service([1, 2, 3, 4], { filter: '>=' });
    const pages = await walkAll(api);
    expect(sent(api)).toEqual([undefined, at(2), at(3)]);
    expect(pages.map(({ isLast }) => isLast)).toEqual([false, false, true]);
    expect(shown(pages)).toEqual(all(4));
  });

  it('sends the cursor as it was given, not as it would write it', async () => {
    const given = at(2).replace('.000Z', '+00:00');
    const api = service([1, 2, 3], { filter: '>=' });
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: given }));
    await walkAll(api);
    await walkAll(api, { filters: new Map([['projects', 'inclusive']]) });
    expect(sent(api).filter((cursor) => cursor === given)).toHaveLength(1);
  });

  it('starts where its feed stands', async () => {
    const api = service([1, 2, 3]);
    const pages = await walkAll(api, { cursor: at(2) });
    expect(sent(api)).toEqual([at(2)]);
    expect(pages).toMatchObject([{ sent: at(2), cursor: at(3), isLast: true }]);
  });

  it('leaves the cursor before the end of a page that is not the last: it may cut a tie', async () => {
    const pages = await walkAll(service([1, 2, 3, 4], { filter: '>=' }));
    expect(cursors(pages)).toEqual([at(1.999), at(2.999), at(4)]);
  });

  it('keeps its cursor on an empty page, even if the service returns a newer one', async () => {
    const api = service([]);
    api.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: at(999) }));
    const [page] = await walkAll(api, { cursor: at(7) });
    expect(page).toMatchObject({ cursor: at(7), isLast: true, isSettled: false });
  });

  it('never goes back behind its cursor, whatever a page shows', async () => {
    const api = service([1, 2]);
    api.answerNext(LIST, (page) => ({ ...page, entities: [{ id: 'p0', updated_at: at(1) }] }));
    const pages = await walkAll(api, { cursor: at(7) });
    expect(cursors(pages)).toEqual([at(7)]);
  });

  it('moves over what cannot be worked with by its updated_at, or else by the header', async () => {
    const api = service([1]);
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

describe('a tie at the end of a page', () => {
  it('is read whole where the filter is >=, without a further request', async () => {
    const api = service([1, 2, 2, 3], { filter: '>=' });
    expect(shown(await walkAll(api))).toEqual(all(4));
    expect(sent(api)).toEqual([undefined, at(2), at(2)]);
  });

  it('is read whole where the filter is >: it is asked again a millisecond earlier', async () => {
    const api = service([1, 2, 2, 3, 4]);
    expect(shown(await walkAll(api))).toEqual(all(5));
    expect(sent(api).slice(0, 3)).toEqual([undefined, at(2), at(1.999)]);
  });

  it('is read whole also when it seems to be the end of the list', async () => {
    const api = service([1, 2, 2]);
    const pages = await walkAll(api);
    expect(shown(pages)).toEqual(all(3));
    expect(pages.at(-1)).toMatchObject({ cursor: at(2), isLast: true });
  });

  it('is asked for a millisecond earlier at once for the rest of the run', async () => {
    const filters: Filters = new Map();
    await walkAll(service([1, 2, 3]), { filters });
    const api = service([1, 2, 3, 4, 5]);
    expect(shown(await walkAll(api, { filters }))).toEqual(all(5));
    expect(sent(api)).toEqual([undefined, at(1.999), at(2.999), at(3.999)]);
  });

  it('does not hide anything when its entities change in the meantime', async () => {
    const api = service([1, 2, 2, 3, 4], { filter: '>=' });
    api.answerNext(LIST, (page) => {
      api.put(LIST, { id: 'p1', updated_at: at(9) });
      return page;
    });
    expect(shown(await walkAll(api)).sort()).toEqual(all(5));
  });

  it('does not hide anything from a walk that stops there and starts again', async () => {
    const api = service([1, 2, 2, 3]);
    const [cursor] = cursors([await walkOf(api).next(new AbortController().signal)]);
    expect(shown(await walkAll(api, { ...(cursor && { cursor }) }))).toEqual(['p1', 'p2', 'p3']);
  });
});

describe('more entities at one timestamp than a page holds', () => {
  it.each(['>', '>='] as const)(
    'are read with a larger page where the filter is %s',
    async (filter) => {
      const api = service([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 10 });
      const pages = await walkAll(api);
      expect(shown(pages)).toEqual(all(12));
      expect(api.requests.map(({ perPage }) => perPage)).toContain(1000);
      expect(api.requests.at(-1)?.perPage).toBe(2);
      expect(pages.filter(({ saturated }) => saturated !== undefined)).toEqual([]);
    },
  );

  it.each(['>', '>='] as const)(
    'than the largest page holds are stepped over and reported where the filter is %s',
    async (filter) => {
      const api = service([1, ...Array<number>(9).fill(2), 3, 4], { filter, largestPage: 5 });
      const pages = await walkAll(api);
      expect(shown(pages)).toEqual(expect.arrayContaining(['p0', 'p1', 'p5', 'p10', 'p11']));
      expect(pages.flatMap(({ saturated }) => saturated ?? [])).toEqual([at(2)]);
      expect(api.requests.length).toBeLessThan(12);
    },
  );

  it('are reported each time they are met', async () => {
    const api = service([2, 2, 2, 5, 5, 5, 6], { filter: '>=', largestPage: 2 });
    const pages = await walkAll(api);
    expect(pages.flatMap(({ saturated }) => saturated ?? [])).toEqual([at(2), at(5)]);
    expect(shown(pages)).toContain('p6');
  });

  it('are stepped over at once where the page is the largest already', async () => {
    const api = service([2, 2, 2, 3], { largestPage: 2 });
    await walkAll(api, { perPage: 1000 });
    expect(sent(api)).toEqual([undefined, at(2), at(1.999), at(2)]);
  });
});

describe('a cursor that the service returns', () => {
  it.each([
    ['stands still', at(2)],
    ['goes back', at(1)],
    ['is absent', undefined],
  ])('and that %s gives way to the largest updated_at of the page', async (_, given) => {
    const api = service([1, 2, 3, 4, 5], { filter: '>=' });
    const spoil = ({ lastSyncedAt: _cursor, ...page }: WalkedPage['page']) => ({
      ...page,
      ...(given !== undefined && { lastSyncedAt: given }),
    });
    api.answerNext(LIST, (page) => page, spoil, spoil);
    expect(shown(await walkAll(api))).toEqual(all(5));
  });

  it.each(['>', '>='] as const)(
    'and that runs ahead hides nothing where the filter is %s',
    async (filter) => {
      const api = service([1, 2, 3, 4, 5], { filter });
      const spoil = (page: WalkedPage['page']) => ({ ...page, lastSyncedAt: at(999) });
      api.answerNext(LIST, spoil, spoil, spoil, spoil);
      expect(shown(await walkAll(api))).toEqual(all(5));
      expect(cursors(await walkAll(api))).not.toContain(at(999));
    },
  );

  it('of an empty page is followed, but for a tie, and not taken for our own', async () => {
    const api = service([1, 2, 9], { filter: '>=' });
    api.answerNext(LIST, (page) => page, empty({ lastSyncedAt: at(5) }));
    const pages = await walkAll(api, { filters: new Map([['projects', 'inclusive']]) });
    expect(sent(api)).toEqual([undefined, at(2), at(4.999)]);
    expect(cursors(pages)).toEqual([at(1.999), at(1.999), at(9)]);
  });

  it('of an empty page is followed also when it is the next millisecond', async () => {
    const api = service([1, 2, 9]);
    api.answerNext(LIST, empty({ lastSyncedAt: at(1.001) }));
    await walkAll(api, { cursor: at(1) });
    expect(sent(api).slice(0, 2)).toEqual([at(1), at(1.001)]);
  });

  it('on a page of nothing but unusable entities is trusted only if a larger page is no better', async () => {
    const api = service([1, 2, 3, 4]);
    const unusable = [{ value: {}, reason: 'no id' }];
    api.answerNext(LIST, (page) => ({ ...page, entities: [], unusable, lastSyncedAt: at(999) }));
    expect(shown(await walkAll(api))).toEqual(all(4));
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});

describe('a walk that has no way on', () => {
  it.each([
    ['an empty page without a cursor', undefined],
    ['an empty page whose cursor stands still', at(2)],
    ['an empty page whose cursor goes back', at(1)],
  ])('fails rather than loop or skip: %s', async (_, lastSyncedAt) => {
    const api = service([1, 2, 3]);
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
    const api = service([1]);
    let n = 100;
    const page = () => empty({ lastSyncedAt: at((n += 1)) })();
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => page));
    await expect(walkAll(api)).rejects.toThrow('last_synced_at 2026');
    expect(api.requests).toHaveLength(10);
  });

  it('fails when a list takes no notice of last_synced_at', async () => {
    const api = service([1, 2, 3]);
    const always = { entities: [{ id: 'p0', updated_at: at(1) }], unusable: [], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => always));
    await expect(walkAll(api, { cursor: at(7) })).rejects.toThrow(ProtocolError);
    expect(api.requests.length).toBeLessThan(5);
  });

  it('fails when nothing on the page has a time, and no cursor leads on', async () => {
    const api = service([1]);
    const page = { entities: [], unusable: [{ value: {}, reason: 'no id' }], hasMore: true };
    api.answerNext(LIST, ...Array.from({ length: 50 }, () => () => page));
    await expect(walkAll(api)).rejects.toThrow('last_synced_at (none)');
    expect(api.requests.map(({ perPage }) => perPage)).toEqual([2, 1000]);
  });
});

describe('the cursor to commit', () => {
  it('stays the overlap behind the time at which the list was read', async () => {
    const api = service([1, 2, 3, 90], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, overlapMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(40), isSettled: false }]);
  });

  it('is at the end of a list that was read later than that: the list is settled', async () => {
    const api = service([1, 2, 3], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, overlapMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(3), isSettled: true }]);
  });

  it('stays behind the first page that may be incomplete, though later ones were read later', async () => {
    let now = 65;
    const api = service([1, 2, 30, 31, 50], { clock: () => Date.parse(at((now += 20))) });
    const filters: Filters = new Map([['projects', 'exclusive']]);
    const pages = await walkAll(api, { overlapMs: 60_000, filters });
    // Read at 85, 105, 125 …: the second page reaches beyond 45 only with its third entity.
    expect(cursors(pages)).toEqual([at(1.999), at(29.999), at(30.999), at(50)]);
    now = 65;
    const later = await walkAll(api, { overlapMs: 90_000, filters });
    expect(cursors(later)).toEqual([at(-5), at(-5), at(-5), at(-5)]);
    expect(later.at(-1)?.isSettled).toBe(false);
  });

  it('does not follow an entity with a date to come', async () => {
    const api = service([1, 2, 9_999], { clock: () => Date.parse(at(100)) });
    const pages = await walkAll(api, { perPage: 1000, overlapMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(2), isSettled: true }]);
  });

  it('stays behind the latest entity by the overlap and the time of the walk where answers have no date', async () => {
    const clock = new ManualClock();
    const api = service([100, 200, 300, 400], { filter: '>=' });
    const slow = (page: WalkedPage['page']) => {
      clock.advance(10_000);
      return page;
    };
    api.answerNext(LIST, slow, slow, slow);
    const pages = await walkAll(api, { overlapMs: 60_000, clock });
    expect(cursors(pages)).toEqual([at(130), at(220), at(310)]);
    expect(pages.at(-1)?.isSettled).toBe(false);
  });

  it('is that of a list without dates as soon as one page has none', async () => {
    const api = service([1, 2, 3], { clock: () => Date.parse(at(100)), filter: '>=' });
    api.answerNext(LIST, ({ asOf: _, ...page }) => page);
    const pages = await walkAll(api, { overlapMs: 60_000 });
    expect(cursors(pages)).toEqual([at(-58), at(-57)]);
  });
});
