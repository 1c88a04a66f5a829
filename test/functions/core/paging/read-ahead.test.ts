import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import { ProtocolError } from '../../../../functions/core/model/errors.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { readAhead } from '../../../../functions/core/paging/read-ahead.ts';
import type { ListService } from '../../../support/list-service.ts';
import { LIST_PATH, listOf, makePaginator } from '../../../support/paginator-setup.ts';

const never = new AbortController().signal;
const TURN = { pagesPerTurn: 10, hasWaiting: () => false, clock: systemClock };

/** A client that takes room for each body. */
function takingRoom(api: ListService): ServiceApi {
  return {
    async fetchPage(request, signal = never) {
      await request.reservation?.acquire({ bytes: 2_000 }, signal);
      return api.fetchPage(request);
    },
  };
}

/** A walk over a list, and the pages that it has in hand. */
function walkInHand(api: ListService) {
  const pages = new PageBuffer(1e6);
  return { pages, paging: makePaginator(takingRoom(api), { pageBuffer: pages }) };
}

describe('the room of a page is given back', () => {
  test('when it was read ahead and nobody takes it', async () => {
    const { pages, paging } = walkInHand(listOf([1, 2, 3, 4], { filter: '>=' }));
    const ahead = readAhead(paging, never, TURN);
    const { value } = await ahead.next();
    await expect.poll(() => pages.bytes).toBe(4_000);

    value?.reservation.release();
    await ahead.return();

    await expect.poll(() => pages.bytes).toBe(0);
  });

  test('when the request for it has failed', async () => {
    const api = listOf([1]);
    api.answerNext(LIST_PATH, () => {
      throw new Error('reset');
    });
    const { pages, paging } = walkInHand(api);

    await expect(paging.next(never)).rejects.toThrow('reset');

    expect(pages.bytes).toBe(0);
  });

  test('when no way leads on from it', async () => {
    const api = listOf([]);
    api.answerNext(LIST_PATH, (page) => ({ ...page, hasMore: true }));
    const { pages, paging } = walkInHand(api);

    await expect(paging.next(never)).rejects.toThrow(ProtocolError);

    expect(pages.bytes).toBe(0);
  });
});

test("a read-ahead page that fails and is never taken is nobody's failure", async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  const api = listOf([1, 2, 3, 4], { filter: '>=' });
  const { paging } = walkInHand(api);
  const ahead = readAhead(paging, never, TURN);
  api.answerNext(LIST_PATH, (page) => page);
  api.answerNext(LIST_PATH, () => {
    throw new Error('reset');
  });
  await ahead.next();
  await ahead.return();
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
