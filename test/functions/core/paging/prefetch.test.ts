import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import { PageTooLargeError } from '../../../../functions/core/model/errors.ts';
import type { CursorFilters } from '../../../../functions/core/paging/cursor-filter.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { readAhead } from '../../../../functions/core/paging/read-ahead.ts';
import type { FeedPage } from '../../../../functions/core/paging/paginator.ts';
import { at, type PagePosition, type ListServiceOptions } from '../../../support/list-service.ts';
import { ListsWithHeads, type Bodies } from '../../../support/lists-with-heads.ts';
import {
  all,
  empty,
  LIST,
  listOf,
  requestedCursor,
  shown,
  walkOf,
  type WalkSetUp,
} from '../../../support/walks.ts';

const never = new AbortController().signal;
const TURN = { pagesPerTurn: 100, hasWaiting: () => false, clock: systemClock };
const SIX = [1, 2, 3, 4, 5, 6];
/** The filter is known. */
const inclusive = (): CursorFilters => new Map([['projects', 'inclusive']]);

/** Lets everything happen that can. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 2));

/** A walk over a list whose headers come before its bodies. */
function walkOver(
  seconds: readonly number[],
  { options, bodies, ...setUp }: WalkSetUp & { options?: ListServiceOptions; bodies?: Bodies } = {},
) {
  const lists = listOf(seconds, { filter: '>=', ...options });
  const pageBuffer = setUp.pageBuffer ?? new PageBuffer(1e6);
  const paging = walkOf(new ListsWithHeads(lists, bodies), { ...setUp, pageBuffer });
  return { lists, paging, pageBuffer };
}

/** All pages of a walk, each of whose pages but the last is followed. */
async function followAll(
  paging: ReturnType<typeof walkOf>,
  turn: Partial<typeof TURN> = {},
): Promise<FeedPage[]> {
  const pages: FeedPage[] = [];
  while (pages.at(-1)?.isLast !== true) {
    for await (const page of readAhead(paging, never, { ...TURN, ...turn })) {
      page.reservation.release();
      pages.push(page);
    }
    if (pages.length > 60) throw new Error('the walk does not come to its end');
  }
  return pages;
}

describe('the next page is asked for', () => {
  test('when the headers of the one before are there, and its body is not', async () => {
    const body = Promise.withResolvers<undefined>();
    const { lists, paging } = walkOver(SIX, { bodies: { body: () => body.promise } });

    const first = paging.next(never, true);
    await settle();

    expect(requestedCursor(lists)).toEqual([undefined, at(2)]);
    body.resolve(undefined);
    expect((await first).page.entities).toHaveLength(2);
  });

  test('once, and nothing after the last one', async () => {
    const { lists, paging } = walkOver(SIX);

    expect(shown(await followAll(paging))).toEqual(all(6));

    expect(requestedCursor(lists)).toEqual([undefined, at(2), at(3), at(4), at(5)]);
  });

  test('a millisecond earlier where the filter is known to hide what shares a time', async () => {
    const { lists, paging } = walkOver(SIX, {
      options: { filter: '>' },
      filters: new Map([['projects', 'exclusive']]),
    });

    expect(shown(await followAll(paging))).toEqual(all(6));

    expect(requestedCursor(lists)).toEqual([undefined, ...[2, 3, 4, 5].map((n) => at(n - 0.001))]);
  });

  test('no further ahead than one page', async () => {
    const bodies = { body: (request: number) => (request > 1 ? undefined : gate.promise) };
    const gate = Promise.withResolvers<undefined>();
    const { lists, paging } = walkOver(SIX, { bodies, filters: inclusive() });

    const first = paging.next(never, true);
    await settle();

    expect(lists.requests).toHaveLength(2);
    gate.resolve(undefined);
    await first;
    await settle();
    expect(lists.requests).toHaveLength(2);
    await paging.next(never, true);
    expect(lists.requests).toHaveLength(3);
  });

  test.each([1, 2])('not early beyond the end of a turn of %i pages', async (pagesPerTurn) => {
    const { lists, paging } = walkOver(SIX);
    const ahead = readAhead(paging, never, { ...TURN, pagesPerTurn, hasWaiting: () => true });

    for (let i = 0; i < pagesPerTurn; i += 1) await ahead.next();
    expect(await ahead.next()).toMatchObject({ done: true });
    await settle();

    expect(lists.requests).toHaveLength(pagesPerTurn);
  });

  test('early also after an attempt has failed that was alone', async () => {
    const { lists, paging } = walkOver(SIX, { bodies: { tries: 2 } });
    lists.answerNext(LIST, () => {
      throw new Error('503');
    });

    await paging.next(never, true);

    expect(requestedCursor(lists)).toEqual([undefined, undefined, at(2)]);
  });

  test('early again in the next turn', async () => {
    const gate = Promise.withResolvers<undefined>();
    const { lists, paging } = walkOver(SIX, { bodies: { body: () => gate.promise } });
    paging.cancel();

    void paging.next(never, true);
    await settle();

    expect(lists.requests).toHaveLength(2);
    gate.resolve(undefined);
  });

  test('as the header has it, to the letter', async () => {
    const offset = '2026-03-02T08:00:02.000+00:00';
    const { lists, paging } = walkOver(SIX);
    lists.answerNext(LIST, (page) => ({ ...page, lastSyncedAt: offset }));

    await followAll(paging);

    expect(requestedCursor(lists)).toEqual([undefined, offset, at(3), at(4), at(5)]);
  });

  test('with as many entities as fit into the memory, by what the headers tell of their size', async () => {
    const { lists, paging } = walkOver(SIX, {
      perPage: 5,
      bodies: { bytes: 8_000 },
      pageBuffer: new PageBuffer(40_000),
    });

    await paging.next(never, true);

    expect(lists.requests.map(({ perPage }) => perPage)).toEqual([5, 4]);
  });

  test('after an empty page no sooner than it was read', async () => {
    const { lists, paging } = walkOver(SIX);
    lists.answerNext(LIST, empty({ lastSyncedAt: at(3) }));

    expect(shown(await followAll(paging))).toEqual(['p2', 'p3', 'p4', 'p5']);

    expect(requestedCursor(lists).slice(0, 3)).toEqual([undefined, at(2.999), at(4)]);
  });

  test('not early before the size of a page is known', async () => {
    const body = Promise.withResolvers<undefined>();
    const bodies = { saysLength: false, body: () => body.promise };
    const { lists, paging } = walkOver(SIX, { bodies, perPage: 3, filters: inclusive() });

    const first = paging.next(never, true);
    await settle();
    expect(lists.requests).toHaveLength(1);
    body.resolve(undefined);
    await first;

    const second = paging.next(never, true);
    await settle();
    expect(lists.requests).toHaveLength(3);
    expect((await second).page.entities).toHaveLength(3);
  });
});

describe('the next page is not asked for early', () => {
  test('behind the one that tells the filter: it may have to be asked for otherwise', async () => {
    const { lists, paging } = walkOver(SIX, { options: { filter: '>' } });

    expect(shown(await followAll(paging))).toEqual(all(6));

    expect(requestedCursor(lists)).toEqual([undefined, ...[2, 1.999, 2.999, 3.999, 4.999].map(at)]);
  });

  test('where its size is not said and pages as large as usual do not fit into the memory', async () => {
    const pageBuffer = new PageBuffer(40_000);
    const bodies = { saysLength: false, bytes: 3_000, body: settle };
    const { lists, paging } = walkOver(SIX, { bodies, perPage: 3, pageBuffer });
    const learned = pageBuffer.reserve('projects', 3, false);
    await learned.acquire({ bytes: 9_000, entities: 3 }, never);
    learned.recordSize();
    learned.release();

    await paging.next(never, true);

    expect(lists.requests).toHaveLength(1);
  });

  test('for the rest of the run where lists of the name were misled or overcharged', async () => {
    const oneAtATime = new Set(['projects']);
    const { lists, paging } = walkOver(SIX, { oneAtATime });

    await paging.next(never, true);

    expect(lists.requests).toHaveLength(1);
  });

  test('once an empty page has said that there is more', async () => {
    const { lists, paging } = walkOver(SIX, { bodies: { saysCount: false } });
    const nothing = (n: number) => empty({ lastSyncedAt: at(n) });
    lists.answerNext(LIST, nothing(0.3), nothing(0.9), nothing(0.6));

    expect(shown(await followAll(paging))).toEqual(all(6));

    expect(requestedCursor(lists).slice(0, 4)).toEqual([undefined, ...[0.3, 0.299, 0.599].map(at)]);
  });
});

describe('what was asked for early is dropped', () => {
  test('where the header was ahead of its page, and then it is not asked early any more', async () => {
    const { lists, paging } = walkOver(SIX);
    const isAhead: PagePosition = (page) => ({ ...page, lastSyncedAt: at(7) });
    lists.answerNext(LIST, ...SIX.map(() => isAhead));

    expect(shown(await followAll(paging))).toEqual(all(6));

    expect(requestedCursor(lists)).toEqual([undefined, at(7), at(2), at(3), at(4), at(5)]);
  });

  test('with its room, when the attempt to read the page before it has failed', async () => {
    const [cut, again] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const bodies = {
      tries: 2,
      body: async (attempt: number) => {
        if (attempt === 1) await cut.promise;
        if (attempt === 3) await again.promise;
      },
    };
    const { lists, paging, pageBuffer } = walkOver(SIX, { bodies });
    const aborted: unknown[] = [];
    const answers: PagePosition[] = [
      (page) => page,
      (page, signal) => {
        signal?.addEventListener('abort', () => aborted.push(signal.reason));
        return page;
      },
      async (page) => {
        // The first page once more: nothing behind it is in hand.
        expect(pageBuffer.bytes).toBe(0);
        expect(aborted).toHaveLength(1);
        await settle();
        return page;
      },
    ];
    lists.answerNext(LIST, ...answers);
    const first = paging.next(never, true);
    await settle();
    expect(pageBuffer.bytes).toBe(4_000);

    cut.reject(new Error('cut'));
    again.resolve(undefined);

    expect((await first).page.entities).toHaveLength(2);
    // One at a time from now on: it may have failed since both were read at once.
    expect(requestedCursor(lists)).toEqual([undefined, at(2), undefined]);
    expect(shown(await followAll(paging))).toEqual(['p1', 'p2', 'p3', 'p4', 'p5']);
    expect(requestedCursor(lists).slice(3)).toEqual([at(2), at(3), at(4), at(5)]);
  });

  test('with its room, when the request for the page before it has failed', async () => {
    const lists = listOf(SIX, { filter: '>=' });
    const pageBuffer = new PageBuffer(1e6);
    const api: ServiceApi = {
      async fetchPage(request, signal = never) {
        const { hasMore, lastSyncedAt = '' } = await lists.fetchPage(request, signal);
        await request.reservation?.acquire({ bytes: 2_000, hasMore, lastSyncedAt }, signal);
        await settle();
        throw new Error('reset');
      },
    };

    await expect(walkOf(api, { pageBuffer }).next(never, true)).rejects.toThrow('reset');

    expect(lists.requests).toHaveLength(2);
    expect(pageBuffer.bytes).toBe(0);
  });

  test('with its room, when the feed lets others have their turn', async () => {
    let hasWaiting = false;
    const { paging, pageBuffer } = walkOver(SIX);
    const ahead = readAhead(paging, never, {
      ...TURN,
      pagesPerTurn: 2,
      hasWaiting: () => hasWaiting,
    });
    for (const pages of [1, 2]) {
      hasWaiting = false;
      const { value } = await ahead.next();
      value?.reservation.release();
      hasWaiting = pages === 1;
      await settle();
    }

    await ahead.return();
    await settle();

    expect(pageBuffer.bytes).toBe(0);
  });

  test('with its room, when the walk is left', async () => {
    const { paging, pageBuffer } = walkOver(SIX);
    const { reservation } = await paging.next(never, true);
    await settle();
    reservation.release();
    expect(pageBuffer.bytes).toBe(2_000);

    paging.cancel();

    expect(pageBuffer.bytes).toBe(0);
  });

  test('before it is asked, when the walk is left while a page is on its way', async () => {
    const body = Promise.withResolvers<undefined>();
    const { lists, paging } = walkOver(SIX, { bodies: { body: () => body.promise } });
    lists.answerNext(LIST, async (page) => {
      await settle();
      return page;
    });
    const first = paging.next(never, true);

    paging.cancel();
    await settle();
    body.resolve(undefined);
    await first;

    expect(lists.requests).toHaveLength(1);
  });
});

test('what was asked for early and fails is the failure of its own page', async () => {
  const { lists, paging } = walkOver(SIX);
  lists.answerNext(
    LIST,
    (page) => page,
    () => {
      throw new Error('reset');
    },
  );

  const { page } = await paging.next(never, true);
  await settle();

  expect(page.entities).toHaveLength(2);
  await expect(paging.next(never, true)).rejects.toThrow('reset');
});

test('what the headers of a failed attempt told says nothing to the walk', async () => {
  const gate = Promise.withResolvers<undefined>();
  const again = Promise.withResolvers<undefined>();
  const { lists, paging } = walkOver(SIX, {
    filters: inclusive(),
    bodies: {
      tries: 2,
      body: async (attempt) => {
        if (attempt === 1) await gate.promise;
        if (attempt === 2) throw new Error('cut');
      },
    },
  });
  lists.answerNext(
    LIST,
    (page) => page,
    (page) => page,
    async (page) => {
      await again.promise;
      return page;
    },
  );
  const first = paging.next(never, true);
  await settle();
  gate.resolve(undefined);
  await first;

  const second = paging.next(never, true);
  await settle();
  // The second page twice, and nothing behind it as long as its headers are not there again.
  expect(requestedCursor(lists)).toEqual([undefined, at(2), at(2)]);
  again.resolve(undefined);
  expect((await second).page.entities).toHaveLength(2);
  expect(requestedCursor(lists)).toEqual([undefined, at(2), at(2), at(3)]);
});

test('what was asked for early and is too large for the memory is asked for in smaller pages', async () => {
  const { lists, paging } = walkOver(SIX, { perPage: 3 });
  lists.answerNext(
    LIST,
    (page) => page,
    () => {
      throw new PageTooLargeError(1e6);
    },
  );

  expect(shown(await followAll(paging))).toEqual(all(6));

  const perPage = lists.requests.map((request) => request.perPage);
  expect(perPage.slice(0, 3)).toEqual([3, 3, 2]);
});

test('a walk that asks early asks for nothing twice where headers are as they should be', async () => {
  const seconds = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 25 });
  await fc.assert(
    fc.asyncProperty(seconds, fc.constantFrom('>', '>='), async (times, filter) => {
      const asked = async (isFollowed: boolean) => {
        const known = filter === '>' ? 'exclusive' : 'inclusive';
        const setUp = { options: { filter }, filters: new Map([['projects', known]] as const) };
        const { lists, paging } = walkOver(times, setUp);
        while (!(await paging.next(never, isFollowed)).isLast);
        return lists.requests;
      };
      expect(await asked(true)).toEqual(await asked(false));
    }),
  );
});

test('a walk that asks early reads what one reads that does not, whatever the service does', async () => {
  const seconds = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 25 });
  const service = fc.record({
    filter: fc.constantFrom('>' as const, '>=' as const),
    largestPage: fc.constantFrom(1, 2, 5, 1000),
  });
  const headers = fc.constantFrom(...(['last', 'ahead', 'behind', 'absent'] as const));
  await fc.assert(
    fc.asyncProperty(seconds, service, headers, async (times, options, header) => {
      const feedPage = async (isFollowed: boolean) => {
        const lists = listOf(times, options);
        const odd = new ListsWithHeads(lists, isFollowed ? {} : { saysLength: false });
        const fetchPage = lists.fetchPage.bind(lists);
        lists.fetchPage = async (...request) => {
          const { lastSyncedAt: last, ...page } = await fetchPage(...request);
          if (last === undefined || header === 'absent') return page;
          const shift = { last: 0, ahead: 1500, behind: -1500 }[header];
          return { ...page, lastSyncedAt: new Date(Date.parse(last) + shift).toISOString() };
        };
        const pages: unknown[] = [];
        const paging = walkOf(odd);
        for (let isLast = false; !isLast;) {
          const { reservation, ...page } = await paging.next(never, isFollowed);
          reservation.release();
          pages.push(page);
          isLast = page.isLast;
        }
        return pages;
      };
      expect(await feedPage(true)).toEqual(await feedPage(false));
    }),
    { numRuns: 200 },
  );
});
