import { describe, expect, test } from 'vitest';
import { PageTooLargeError } from '../../../../functions/core/model/errors.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import { listOf, makePaginator } from '../../../support/paginator-setup.ts';

const never = new AbortController().signal;
const LIST = 'floorplans';
/** A fourth of 400 kB is the largest page. */
const BUDGET = 400_000;

/** Reads a page of a list to its end. */
async function read(pages: PageBuffer, bytes: number, entities: number, list = LIST) {
  const reservation = pages.reserve(list, 1000, false);
  await reservation.acquire({ entities }, never);
  reservation.resize(bytes);
  return reservation;
}

describe('a page takes', () => {
  test.each([
    ['its Content-Length', { bytes: 30_000, entities: 7 }, 30_000],
    ['nothing when it is empty', { entities: 0 }, 0],
    ['nothing when it is small', { bytes: 999 }, 0],
    ['as much as the largest page when nothing is known', {}, 100_000],
    ['as much as the largest page when only its entities are counted', { entities: 1 }, 100_000],
  ])('%s', async (_, size, held) => {
    const pages = new PageBuffer(BUDGET);

    await pages.reserve(LIST, 50, false).acquire(size, never);

    expect(pages.bytes).toBe(held);
  });

  test('as much as the largest page, however small pages of its list were before', async () => {
    const pages = new PageBuffer(BUDGET);
    const before = await read(pages, 1_000, 10);
    before.recordSize();
    before.release();

    await pages.reserve(LIST, 8, false).acquire({ entities: 4 }, never);

    expect(pages.bytes).toBe(100_000);
  });

  test('what its body turned out to have', async () => {
    const pages = new PageBuffer(BUDGET);

    await read(pages, 3_000, 5);

    expect(pages.bytes).toBe(3_000);
  });

  test('nothing once it is released, whatever comes after that', async () => {
    const pages = new PageBuffer(BUDGET);
    const reservation = await read(pages, 3_000, 5);

    reservation.release();
    reservation.resize(5_000);
    await reservation.acquire({ bytes: 2_000 }, never);

    expect(pages.bytes).toBe(0);
  });

  test('no part of a byte, so that nothing is left when all is given back', async () => {
    const pages = new PageBuffer(1001.1);
    const rooms = [1, 2, 3].map(() => pages.reserve(LIST, 1000, false));
    for (const reservation of rooms) await reservation.acquire({}, never);

    expect(pages.bytes).toBe(750);
    for (const reservation of rooms) reservation.release();
    expect(pages.bytes).toBe(0);
  });
});

describe('a page that is too large', () => {
  test('by its Content-Length is not read', async () => {
    const pages = new PageBuffer(BUDGET);
    const reservation = pages.reserve(LIST, 1000, false);

    await expect(reservation.acquire({ bytes: 100_001 }, never)).rejects.toThrow(PageTooLargeError);

    expect(pages.bytes).toBe(0);
  });

  test('is read no further', async () => {
    const reservation = new PageBuffer(BUDGET).reserve(LIST, 1000, false);
    await reservation.acquire({}, never);

    reservation.onBytesRead(100_000);

    expect(() => {
      reservation.onBytesRead(100_001);
    }).toThrow(PageTooLargeError);
  });

  test('is read alone when nothing smaller would do', async () => {
    const pages = new PageBuffer(BUDGET);
    const reservation = pages.reserve(LIST, 1000, true);

    await reservation.acquire({ bytes: 900_000 }, never);
    reservation.onBytesRead(900_000);

    expect(pages.bytes).toBe(400_000);
  });
});

describe('how many entities to ask for', () => {
  test('is no matter when nothing is known of the list', () => {
    expect(new PageBuffer(BUDGET).maxEntities(LIST)).toBe(Infinity);
  });

  test('is what fills three fourths of the largest page, by the last page of such a list', async () => {
    const pages = new PageBuffer(BUDGET);

    (await read(pages, 90_000, 9)).recordSize();
    (await read(pages, 90_000, 90)).recordSize();
    (await read(pages, 90_000, 9, 'projects')).recordSize();

    expect(pages.maxEntities(LIST)).toBe(75);
    expect(pages.maxEntities('projects')).toBe(7);
  });

  test('goes for the first page of the next list of that name, too', async () => {
    const pages = new PageBuffer(BUDGET);
    const before = await read(pages, 90_000, 9, 'projects');
    before.recordSize();
    before.release();
    const api = listOf([1]);

    await makePaginator(api, { pageBuffer: pages, perPage: 1000 }).next(never);

    expect(api.requests).toMatchObject([{ perPage: 7 }]);
  });

  test('takes what was not read to its end for four times as large', async () => {
    const reservation = new PageBuffer(BUDGET).reserve(LIST, 1000, false);
    await reservation.acquire({}, never);

    expect(() => {
      reservation.onBytesRead(150_000);
    }).toThrow();

    expect(reservation.recordSize()).toBe(125);
  });

  test('is learned from a page that was too large, though its attempt has failed', async () => {
    const reservation = new PageBuffer(BUDGET).reserve(LIST, 1000, false);
    await expect(reservation.acquire({ bytes: 800_000, entities: 1000 }, never)).rejects.toThrow();

    reservation.resize(0);

    expect(reservation.recordSize()).toBe(93);
  });

  test('is not learned from a page with hardly anything on it', async () => {
    const pages = new PageBuffer(BUDGET);

    const reservation = pages.reserve(LIST, 1000, false);
    await reservation.acquire({ entities: 0 }, never);
    reservation.resize(2);
    expect(reservation.recordSize()).toBe(Infinity);

    expect(pages.maxEntities(LIST)).toBe(Infinity);
  });
});
