import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import { readAhead } from '../../../../functions/core/paging/read-ahead.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import type { ListService, PageAnswer } from '../../../support/list-service.ts';
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
