import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import { idOf } from '../../../../functions/core/model/entity.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import type { Paginator } from '../../../../functions/core/paging/paginator.ts';
import { readAhead } from '../../../../functions/core/paging/read-ahead.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { timeAt, type ListService, type PageAnswer } from '../../../support/list-service.ts';
import {
  LIST_PATH,
  listOf,
  makePaginator,
  neverAborted,
} from '../../../support/paginator-setup.ts';

const TURN = { pagesPerTurn: 10, hasWaiting: () => false, clock: systemClock };

/** A client that reserves memory for each body. */
function withReservations(api: ListService): ServiceApi {
  return {
    async fetchPage(request, signal = neverAborted) {
      await request.reservation?.acquire({ bytes: 2_000 }, signal);
      return api.fetchPage(request);
    },
  };
}

/** A paginator and its page buffer. */
function makeBuffered(api: ListService) {
  const pages = new PageBuffer(1e6);
  return { pages, paginator: makePaginator(withReservations(api), { pageBuffer: pages }) };
}

describe('a turn of one page', () => {
  const turn = { ...TURN, pagesPerTurn: 1, hasWaiting: () => true };

  /** The ids that one turn shows. */
  async function readTurn(paginator: Paginator): Promise<string[]> {
    const ids: string[] = [];
    for await (const { page, reservation } of readAhead(paginator, neverAborted, turn)) {
      ids.push(...page.entities.map(idOf));
      reservation.release();
    }
    return ids;
  }

  it.each(['>', '>='] as const)(
    'goes on until its cursor advances: a tie, filter %s',
    async (filter) => {
      const api = listOf([1, 2, 2, 2, 3, 4, 5], { filter });
      const paginator = makePaginator(api, { cursor: timeAt(filter === '>' ? 1 : 2) });
      expect(await readTurn(paginator)).toEqual(expect.arrayContaining(['p1', 'p2', 'p3']));
    },
  );

  it('is one page if its cursor advances', async () => {
    const api = listOf([1.001, 2, 3, 4, 5], { filter: '>=' });
    expect(await readTurn(makePaginator(api, { cursor: timeAt(1) }))).toEqual(['p0', 'p1']);
  });

  it('ends after 50 pages that do not let it advance', async () => {
    // Without a Date the list is complete only the lookback before the last page.
    const api = listOf(
      Array.from({ length: 200 }, (_, n) => n / 1000),
      { filter: '>=' },
    );
    const paginator = makePaginator(api, {
      cursor: timeAt(0),
      lookbackMs: 60_000,
      committedLookbackMs: 60_000,
    });
    await readTurn(paginator);
    expect(api.requests).toHaveLength(50);
  });
});

describe('the memory of a page is released', () => {
  it('if it was read ahead and is never taken', async () => {
    const { pages, paginator } = makeBuffered(listOf([1, 2, 3, 4], { filter: '>=' }));
    const ahead = readAhead(paginator, neverAborted, TURN);
    const { value } = await ahead.next();
    await expect.poll(() => pages.bytes).toBe(4_000);
    value?.reservation.release();
    await ahead.return();
    await expect.poll(() => pages.bytes).toBe(0);
  });

  const failing = () => {
    throw new Error('reset');
  };

  it.each<[string, PageAnswer, string]>([
    ['its request fails', failing, 'reset'],
    ['no cursor leads on from it', (page) => ({ ...page, hasMore: true }), 'does not go on'],
  ])('if %s', async (_, answer, message) => {
    const api = listOf([]);
    api.answerNext(LIST_PATH, answer);
    const { pages, paginator } = makeBuffered(api);
    await expect(paginator.next(neverAborted)).rejects.toThrow(message);
    expect(pages.bytes).toBe(0);
  });
});

it('a read-ahead page that fails and is never taken causes no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const record = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', record);
  const api = listOf([1, 2, 3, 4], { filter: '>=' });
  const { paginator } = makeBuffered(api);
  const ahead = readAhead(paginator, neverAborted, TURN);
  api.answerNext(LIST_PATH, (page) => page);
  api.answerNext(LIST_PATH, () => {
    throw new Error('reset');
  });
  await ahead.next();
  await ahead.return();
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', record);
  expect(unhandled).toEqual([]);
});
