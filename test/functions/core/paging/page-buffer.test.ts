import { describe, expect, it } from 'vitest';
import { PageTooLargeError } from '../../../../functions/core/model/errors.ts';
import { PageBuffer } from '../../../../functions/core/paging/page-buffer.ts';
import { listOf, makePaginator, neverAborted } from '../../../support/paginator-setup.ts';

const LIST = 'floorplans';
/** The largest page is a fourth of it. */
const BUDGET = 400_000;

/** A page buffer, and a reservation for a page of which nothing is read. */
function reservePage({ isAlone = false } = {}) {
  const pages = new PageBuffer(BUDGET);
  return { pages, reservation: pages.reserve(LIST, 1000, isAlone) };
}

/** Reserves memory for a page and reads it to its end. */
async function readPage(pages: PageBuffer, bytes: number, entities: number, list = LIST) {
  const reservation = pages.reserve(list, 1000, false);
  await reservation.acquire({ entities }, neverAborted);
  reservation.resize(bytes);
  return reservation;
}

describe('a page holds', () => {
  it.each([
    ['its Content-Length', { bytes: 30_000, entities: 7 }, 30_000],
    ['nothing if it is empty', { entities: 0 }, 0],
    ['nothing if it is small', { bytes: 999 }, 0],
    ['the maximum if its headers tell nothing', {}, 100_000],
    ['the maximum if its headers only count entities', { entities: 1 }, 100_000],
  ])('%s', async (_, size, held) => {
    const { pages, reservation } = reservePage();
    await reservation.acquire(size, neverAborted);
    expect(pages.bytes).toBe(held);
  });

  it('the maximum, however small the pages before were', async () => {
    const pages = new PageBuffer(BUDGET);
    const before = await readPage(pages, 1_000, 10);
    before.recordSize();
    before.release();
    await pages.reserve(LIST, 8, false).acquire({ entities: 4 }, neverAborted);
    expect(pages.bytes).toBe(100_000);
  });

  it('the maximum if its body is large although its headers say that it is empty', async () => {
    const { pages, reservation } = reservePage();
    await reservation.acquire({ entities: 0 }, neverAborted);
    expect(reservation.onBytesRead(999, neverAborted)).toBeUndefined();
    await reservation.onBytesRead(1_000, neverAborted);
    expect(pages.bytes).toBe(100_000);
    expect(reservation.onBytesRead(2_000, neverAborted)).toBeUndefined();
    reservation.resize(2_000);
    expect(pages.bytes).toBe(2_000);
  });

  it('the same if a failed attempt held memory before', async () => {
    const { pages, reservation } = reservePage();
    await reservation.acquire({ bytes: 5_000 }, neverAborted);
    reservation.resize(0);
    await reservation.acquire({ entities: 0 }, neverAborted);
    await reservation.onBytesRead(1_000, neverAborted);
    expect(pages.bytes).toBe(100_000);
  });

  it('its weight if that is more, once there is room for it', async () => {
    const { pages, reservation } = reservePage();
    await reservation.acquire({ bytes: 30_000 }, neverAborted);
    reservation.resize(30_000);
    expect(reservation.onWeighed(30_000, neverAborted)).toBeUndefined();
    const others = await Promise.all([1, 2, 3, 4].map(() => readPage(pages, 90_000, 9)));
    const waiting = reservation.onWeighed(80_000, neverAborted);
    expect(pages.bytes).toBe(360_000);
    others[0]?.release();
    await waiting;
    expect(pages.bytes).toBe(270_000 + 80_000);
  });

  it('the size of its body once it is read, and nothing once it is released, whatever follows', async () => {
    const pages = new PageBuffer(BUDGET);
    const reservation = await readPage(pages, 3_000, 5);
    expect(pages.bytes).toBe(3_000);
    reservation.release();
    reservation.resize(5_000);
    await reservation.acquire({ bytes: 2_000 }, neverAborted);
    expect(pages.bytes).toBe(0);
  });

  it('whole bytes, so that nothing remains after all are released', async () => {
    const pages = new PageBuffer(1001.1);
    const reservations = [1, 2, 3].map(() => pages.reserve(LIST, 1000, false));
    for (const reservation of reservations) await reservation.acquire({}, neverAborted);
    expect(pages.bytes).toBe(750);
    for (const reservation of reservations) reservation.release();
    expect(pages.bytes).toBe(0);
  });
});

describe('a page that is too large', () => {
  it('by its Content-Length is not read', async () => {
    const { pages, reservation } = reservePage();
    const acquiring = reservation.acquire({ bytes: 100_001 }, neverAborted);
    await expect(acquiring).rejects.toThrow(PageTooLargeError);
    expect(pages.bytes).toBe(0);
  });

  it('is read no further', async () => {
    const { reservation } = reservePage();
    await reservation.acquire({}, neverAborted);
    void reservation.onBytesRead(100_000, neverAborted);
    expect(reservation.onBytesRead.bind(reservation, 100_001, neverAborted)).toThrow(
      PageTooLargeError,
    );
  });

  it('by its many small values is not parsed, and the next page has fewer', async () => {
    const { reservation } = reservePage();
    await reservation.acquire({ bytes: 6_000, entities: 1_000 }, neverAborted);
    reservation.resize(6_000);
    expect(reservation.onWeighed.bind(reservation, 400_000, neverAborted)).toThrow(
      'A page of 6000 bytes with so many small values that it takes as much memory as 400000 bytes is too large',
    );
    reservation.resize(0);
    expect(reservation.recordSize()).toBe(187);
  });

  it('is read alone if a smaller one would not lead on', async () => {
    const { pages, reservation } = reservePage({ isAlone: true });
    await reservation.acquire({ bytes: 900_000 }, neverAborted);
    void reservation.onBytesRead(900_000, neverAborted);
    expect(pages.bytes).toBe(400_000);
  });
});

describe('the maximum number of entities', () => {
  it('is unlimited before the first page of a list', () => {
    expect(new PageBuffer(BUDGET).maxEntities(LIST)).toBe(Infinity);
  });

  it('fills three fourths of the largest page, judged by the last page of the resource', async () => {
    const pages = new PageBuffer(BUDGET);
    (await readPage(pages, 90_000, 9)).recordSize();
    (await readPage(pages, 90_000, 90)).recordSize();
    (await readPage(pages, 90_000, 9, 'projects')).recordSize();
    expect(pages.maxEntities(LIST)).toBe(75);
    expect(pages.maxEntities('projects')).toBe(7);
  });

  it('applies to the first page of the next list of the resource, too', async () => {
    const pages = new PageBuffer(BUDGET);
    const before = await readPage(pages, 90_000, 9, 'projects');
    before.recordSize();
    before.release();
    const api = listOf([1]);
    await makePaginator(api, { pageBuffer: pages, perPage: 1000 }).next(neverAborted);
    expect(api.requests).toMatchObject([{ perPage: 7 }]);
  });

  it('estimates four times the read bytes for a body that was not read to its end', async () => {
    const { reservation } = reservePage();
    await reservation.acquire({}, neverAborted);
    expect(reservation.onBytesRead.bind(reservation, 150_000, neverAborted)).toThrow();
    expect(reservation.recordSize()).toBe(125);
  });

  it('follows from a page that was too large, although its attempt failed', async () => {
    const { reservation } = reservePage();
    const acquiring = reservation.acquire({ bytes: 800_000, entities: 1000 }, neverAborted);
    await expect(acquiring).rejects.toThrow();
    reservation.resize(0);
    expect(reservation.recordSize()).toBe(93);
  });

  it('does not follow from a nearly empty page', async () => {
    const { pages, reservation } = reservePage();
    await reservation.acquire({ entities: 0 }, neverAborted);
    reservation.resize(2);
    expect(reservation.recordSize()).toBe(Infinity);
    expect(pages.maxEntities(LIST)).toBe(Infinity);
  });
});
