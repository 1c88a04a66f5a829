import { describe, expect, it } from 'vitest';
import { validIdOf } from '../../../../functions/core/model/entity.ts';
import {
  PageTooSlowError,
  RateLimitedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import { isAfter } from '../../../../functions/core/model/timestamp.ts';
import { ServiceTime } from '../../../../functions/core/paging/service-time.ts';
import type { PageRequest, ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { timeAt, type ListService } from '../../../support/list-service.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import {
  firstIds,
  listOf,
  makePaginator,
  neverAborted,
  readList,
  saturatedTimes,
  shownIds,
} from '../../../support/paginator-setup.ts';

const SLOW_MS = 10_000;

/** A list whose pages of more entities than `slowAbove` take too long. Others take 100 ms. */
function slowList(list: ListService, slowAbove: () => number) {
  const clock = new ManualClock();
  const requested: number[] = [];
  const api: ServiceApi = {
    async fetchPage(request: PageRequest, signal) {
      requested.push(request.perPage);
      const page = await list.fetchPage(request, signal);
      const isSlow = page.entities.length > slowAbove();
      clock.advance(isSlow ? SLOW_MS : 100);
      if (isSlow) throw new PageTooSlowError('too slow', { hint: 'Wait.' });
      return page;
    },
  };
  return { api, clock, requested };
}

const seconds = (count: number) => Array.from({ length: count }, (_, n) => n + 1.001);

describe('a page that is too slow', () => {
  it('is halved until it is fast enough', async () => {
    const { api, clock, requested } = slowList(listOf(seconds(30), { filter: '>=' }), () => 8);
    const pages = await readList(api, { clock, perPage: 32 });
    expect(shownIds(pages)).toEqual(firstIds(30));
    expect(requested.slice(0, 4)).toEqual([32, 16, 8, 16]);
  });

  it('grows again once the service is fast', async () => {
    let slowAbove = 8;
    const { api, clock, requested } = slowList(
      listOf(seconds(99), { filter: '>=' }),
      () => slowAbove,
    );
    const paginator = makePaginator(api, { clock, perPage: 32 });
    await paginator.next(neverAborted);
    slowAbove = 1000;
    for (let n = 0; n < 3; n += 1) await paginator.next(neverAborted);
    expect(requested).toEqual([32, 16, 8, 16, 32, 32]);
  });

  it('fails the feed after four in a row', async () => {
    const { api, clock, requested } = slowList(listOf(seconds(99)), () => 1);
    const paginator = makePaginator(api, { clock, perPage: 32 });
    await expect(paginator.next(neverAborted)).rejects.toThrow(PageTooSlowError);
    expect(requested).toEqual([32, 16, 8, 4]);
  });

  it('is requested smaller at once by the next polls after a failure', async () => {
    const { api, clock, requested } = slowList(listOf(seconds(99)), () => 1000);
    await makePaginator(api, { clock, perPage: 32, slowPolls: 2 }).next(neverAborted);
    await makePaginator(api, { clock, perPage: 32, slowPolls: 9 }).next(neverAborted);
    expect(requested).toEqual([8, 2]);
  });

  it('is as large as ever after three fast pages, however often the feed failed before', async () => {
    const { api, clock, requested } = slowList(listOf(seconds(99)), () => 1000);
    const paginator = makePaginator(api, { clock, perPage: 8, slowPolls: 60 });
    for (let n = 0; n < 3; n += 1) await paginator.next(neverAborted);
    expect(requested.slice(0, 3)).toEqual([2, 4, 8]);
  });

  it('fails the feed if the run ends before a smaller one was read', async () => {
    const run = new AbortController();
    const { api, clock } = slowList(listOf(seconds(99)), () => {
      if (clock.now() > startedAt) run.abort(new Error('over'));
      return 1;
    });
    const startedAt = clock.now();
    const fetching = makePaginator(api, { clock, perPage: 32 }).next(run.signal);
    await expect(fetching).rejects.toThrow(PageTooSlowError);
  });

  it('fails the feed if no request is left for a smaller one', async () => {
    const slow = slowList(listOf(seconds(99)), () => 1);
    let left = 2;
    const fetchPage: ServiceApi['fetchPage'] = (request, signal) => {
      if (left-- > 0) return slow.api.fetchPage(request, signal);
      throw new RateLimitedError('no request is left', { hint: 'Wait.' });
    };
    const paginator = makePaginator({ fetchPage }, { clock: slow.clock, perPage: 32 });
    await expect(paginator.next(neverAborted)).rejects.toThrow(PageTooSlowError);
  });

  it('fails the feed as slow if a smaller one fails otherwise, for as long as the service asks', async () => {
    const slow = slowList(listOf(seconds(99)), () => 16);
    const fetchPage: ServiceApi['fetchPage'] = (request, signal) => {
      if (request.perPage === 32) return slow.api.fetchPage(request, signal);
      throw new ServiceError('busy', { hint: 'Wait.', status: 503, retryAfterMs: 7000 });
    };
    const fetching = makePaginator({ fetchPage }, { perPage: 32 }).next(neverAborted);
    await expect(fetching).rejects.toThrow(PageTooSlowError);
    await expect(fetching).rejects.toMatchObject({
      message: 'too slow; then busy',
      retryAfterMs: 7000,
    });
  });
});

describe('a tie that only a page which is too slow would show whole', () => {
  const tie = [1.001, ...Array<number>(20).fill(2), 3];

  it('fails the feed at first: nothing is skipped for a slowness that may pass', async () => {
    const { api, clock } = slowList(listOf(tie), () => 8);
    await expect(readList(api, { clock, perPage: 8 })).rejects.toThrow(PageTooSlowError);
  });

  it.each([0, 1])(
    'fails the feed after %i failures of its own: an outage made the others slow',
    async (failures) => {
      const { api, clock } = slowList(listOf(tie), () => 8);
      const setup = { clock, perPage: 4096, slowPolls: 9, failures, cursor: timeAt(1.5) };
      await expect(readList(api, setup)).rejects.toThrow(PageTooSlowError);
    },
  );

  it('is stepped over and reported after two failed polls', async () => {
    const { api, clock } = slowList(listOf(tie), () => 8);
    const pages = await readList(api, { clock, perPage: 8, slowPolls: 2 });
    expect(saturatedTimes(pages)).toHaveLength(1);
    expect(shownIds(pages)).toContain('p21');
  });

  it('is stepped over with one search of a larger page, though it is stored finer than it is shown', async () => {
    const list = listOf([1, ...Array<number>(20).fill(2), 3, 4], { filter: '>=' });
    const { clock, api, requested } = slowList(list, () => 8);
    /** Stored at the end of the second that is shown. */
    const finer: ServiceApi = {
      fetchPage(request, signal) {
        const { lastSyncedAt = '' } = request;
        const isWithin = isAfter(lastSyncedAt, timeAt(2)) && !isAfter(lastSyncedAt, timeAt(2.999));
        return api.fetchPage(isWithin ? { ...request, lastSyncedAt: timeAt(2) } : request, signal);
      },
    };
    const setup = { clock, perPage: 8, slowPolls: 2, cursor: timeAt(2) };
    const pages = await readList(finer, setup);
    expect(saturatedTimes(pages)).toEqual([timeAt(2)]);
    expect(shownIds(pages)).toContain('p22');
    expect(requested.filter((size) => size > 8).length).toBeLessThanOrEqual(4);
  });
});

describe('a tie that fits between a page that is too small and one that is too slow', () => {
  const tie = [1.001, ...Array<number>(9).fill(2), 3, 4, 5, 6, 7, 8, 9];

  it('is read whole by a page between the two', async () => {
    const { api, clock, requested } = slowList(listOf(tie, { filter: '>=' }), () => 11);
    const pages = await readList(api, { clock, perPage: 32, slowPolls: 2 });
    expect(shownIds(pages)).toEqual(firstIds(17));
    expect(saturatedTimes(pages)).toEqual([]);
    expect(requested.slice(0, 5)).toEqual([8, 16, 8, 12, 10]);
  });

  it.each([
    [2, 32, [8, 16, 12, 10, 9, 8]],
    [4, 128, [8, 16, 12, 8]],
    [5, 256, [8, 16, 8]],
  ])(
    'is stepped over sooner after %i failed polls: each search may take longer than a run',
    async (slowPolls, perPage, sizes) => {
      const { api, clock, requested } = slowList(listOf(tie, { filter: '>=' }), () => 8);
      const setup = { clock, perPage, slowPolls, cursor: timeAt(2) };
      expect(saturatedTimes(await readList(api, setup))).toEqual([timeAt(2)]);
      expect(requested.slice(0, sizes.length)).toEqual(sizes);
    },
  );

  it.each([
    [2, 32],
    [5, 256],
  ])(
    'fails the feed if it is slow itself once larger pages were given up, after %i failed polls',
    async (slowPolls, perPage) => {
      const { api, clock, requested } = slowList(listOf(tie, { filter: '>=' }), () =>
        requested.length === 1 ? 8 : 0,
      );
      const setup = { clock, perPage, slowPolls, cursor: timeAt(2) };
      await expect(readList(api, setup)).rejects.toThrow(PageTooSlowError);
      expect(requested.at(-1)).toBe(8);
      expect(requested.filter((size) => size === 8)).toHaveLength(2);
    },
  );

  it.each([
    [2, 32],
    [5, 256],
  ])(
    'is left by pages that become smaller, but not empty, after %i failed polls',
    async (slowPolls, perPage) => {
      const list = listOf(tie, { filter: '>=' });
      const { api, clock, requested } = slowList(list, () =>
        list.requests.at(-1)?.lastSyncedAt === timeAt(2) ? 8 : 0,
      );
      const setup = { clock, perPage, slowPolls, cursor: timeAt(2) };
      await expect(readList(api, setup)).rejects.toThrow(PageTooSlowError);
      expect(Math.min(...requested)).toBeGreaterThan(1);
    },
  );

  it('is found by doubling after a poll that failed, though pages before it were fast', async () => {
    const before = Array.from({ length: 12 }, (_, n) => 1 + n / 1000);
    const { api, clock } = slowList(
      listOf([...before, ...tie.slice(1)], { filter: '>=' }),
      () => 11,
    );
    const pages = await readList(api, { clock, perPage: 8, slowPolls: 2 });
    expect(saturatedTimes(pages)).toEqual([]);
    expect(shownIds(pages)).toHaveLength(before.length + tie.length - 1);
  });

  it('shows on its page that a larger one was too slow', async () => {
    const { api, clock } = slowList(listOf(tie, { filter: '>=' }), () => 11);
    const pages = await readList(api, { clock, perPage: 32, slowPolls: 2 });
    expect(pages.map(({ isSlowed }) => isSlowed).slice(0, 3)).toEqual([false, true, true]);
  });
});

describe('a page that is too large for the memory', () => {
  /** A list whose pages of more entities than this exceed the memory. */
  function heavyList(list: ListService, maxEntities: (first: string | undefined) => number) {
    const requested: number[] = [];
    const api: ServiceApi = {
      async fetchPage(request: PageRequest, signal = neverAborted) {
        const { reservation, ...others } = request;
        const page = await list.fetchPage(others, signal);
        const { length } = page.entities;
        requested.push(request.perPage);
        const bytes = (length * 8e6) / maxEntities(validIdOf(page.entities[0]));
        await reservation?.acquire({ bytes, entities: length }, signal);
        return page;
      },
    };
    return { api, requested };
  }

  it('is halved towards the one that did not advance', async () => {
    const list = listOf([1.001, ...Array<number>(9).fill(2), 3, 4, 5], { filter: '>=' });
    const { api, requested } = heavyList(list, () => 11);
    const pages = await readList(api, { perPage: 8, cursor: timeAt(2) });
    expect(shownIds(pages)).toHaveLength(12);
    expect(requested.slice(0, 7)).toEqual([8, 2, 4, 8, 16, 12, 10]);
  });

  it('fails the list if no smaller one would advance: nothing is stepped over', async () => {
    const list = listOf([1.001, ...Array<number>(12).fill(2), 3, 4, 5], { filter: '>=' });
    const { api } = heavyList(list, () => 11);
    const reading = readList(api, { perPage: 8, cursor: timeAt(2) });
    await expect(reading).rejects.toThrow('for 12 entities exceeds 8000000 bytes');
  });

  it.each(['>', '>='] as const)(
    'is halved, too, behind a timestamp that was stepped over with the largest page, filter %s',
    async (filter) => {
      const tie = Array<number>(1001).fill(2);
      const list = listOf([1.001, ...tie, ...Array.from({ length: 60 }, (_, n) => n + 3)], {
        filter,
      });
      const isTie = (id = '') => Number(id.slice(1)) <= 1000;
      const { api } = heavyList(list, (first) => (isTie(first) ? 2000 : 50));
      const pages = await readList(api, { perPage: 100 });
      expect(saturatedTimes(pages)).toEqual([timeAt(2)]);
      expect(shownIds(pages)).toContain('p1061');
    },
  );
});

it('a page without a Date is not dated by an answer to another list that came meanwhile', async () => {
  const clock = new ManualClock();
  const serviceTime = new ServiceTime(clock);
  const list = listOf([1.001]);
  const api: ServiceApi = {
    async fetchPage(request, signal) {
      const page = await list.fetchPage(request, signal);
      serviceTime.date({ ...page, readAfter: timeAt(500) }, undefined, 0);
      const { readAfter: _, ...undated } = page;
      return undated;
    },
  };
  const paginator = makePaginator(api, { clock, serviceTime });
  expect((await paginator.next(neverAborted)).page).not.toHaveProperty('readAfter');
});
