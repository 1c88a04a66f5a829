import { describe, expect, test } from 'vitest';
import { PageTooLarge } from '../../../../functions/core/model/errors.ts';
import { PagesInHand } from '../../../../functions/core/paging/page-buffer.ts';
import { listOf, walkOf } from '../../../support/walks.ts';

const never = new AbortController().signal;
const LIST = 'floorplans';
/** A fourth of 400 kB is the largest page. */
const BUDGET = 400_000;

/** Reads a page of a list to its end. */
async function read(pages: PagesInHand, bytes: number, entities: number, list = LIST) {
  const room = pages.roomFor(list, 1000, false);
  await room.take({ entities }, never);
  room.correctTo(bytes);
  return room;
}

describe('a page takes', () => {
  test.each([
    ['its Content-Length', { bytes: 30_000, entities: 7 }, 30_000],
    ['nothing when it is empty', { entities: 0 }, 0],
    ['nothing when it is small', { bytes: 999 }, 0],
    ['as much as the largest page when nothing is known', {}, 100_000],
    ['as much as the largest page when only its entities are counted', { entities: 1 }, 100_000],
  ])('%s', async (_, size, held) => {
    const pages = new PagesInHand(BUDGET);

    await pages.roomFor(LIST, 50, false).take(size, never);

    expect(pages.bytes).toBe(held);
  });

  test('as much as the largest page, however small pages of its list were before', async () => {
    const pages = new PagesInHand(BUDGET);
    const before = await read(pages, 1_000, 10);
    before.learn();
    before.release();

    await pages.roomFor(LIST, 8, false).take({ entities: 4 }, never);

    expect(pages.bytes).toBe(100_000);
  });

  test('what its body turned out to have', async () => {
    const pages = new PagesInHand(BUDGET);

    await read(pages, 3_000, 5);

    expect(pages.bytes).toBe(3_000);
  });

  test('nothing once it is released, whatever comes after that', async () => {
    const pages = new PagesInHand(BUDGET);
    const room = await read(pages, 3_000, 5);

    room.release();
    room.correctTo(5_000);
    await room.take({ bytes: 2_000 }, never);

    expect(pages.bytes).toBe(0);
  });

  test('no part of a byte, so that nothing is left when all is given back', async () => {
    const pages = new PagesInHand(1001.1);
    const rooms = [1, 2, 3].map(() => pages.roomFor(LIST, 1000, false));
    for (const room of rooms) await room.take({}, never);

    expect(pages.bytes).toBe(750);
    for (const room of rooms) room.release();
    expect(pages.bytes).toBe(0);
  });
});

describe('a page that is too large', () => {
  test('by its Content-Length is not read', async () => {
    const pages = new PagesInHand(BUDGET);
    const room = pages.roomFor(LIST, 1000, false);

    await expect(room.take({ bytes: 100_001 }, never)).rejects.toThrow(PageTooLarge);

    expect(pages.bytes).toBe(0);
  });

  test('is read no further', async () => {
    const room = new PagesInHand(BUDGET).roomFor(LIST, 1000, false);
    await room.take({}, never);

    room.hasRead(100_000);

    expect(() => {
      room.hasRead(100_001);
    }).toThrow(PageTooLarge);
  });

  test('is read alone when nothing smaller would do', async () => {
    const pages = new PagesInHand(BUDGET);
    const room = pages.roomFor(LIST, 1000, true);

    await room.take({ bytes: 900_000 }, never);
    room.hasRead(900_000);

    expect(pages.bytes).toBe(400_000);
  });
});

describe('how many entities to ask for', () => {
  test('is no matter when nothing is known of the list', () => {
    expect(new PagesInHand(BUDGET).fitting(LIST)).toBe(Infinity);
  });

  test('is what fills three fourths of the largest page, by the last page of such a list', async () => {
    const pages = new PagesInHand(BUDGET);

    (await read(pages, 90_000, 9)).learn();
    (await read(pages, 90_000, 90)).learn();
    (await read(pages, 90_000, 9, 'projects')).learn();

    expect(pages.fitting(LIST)).toBe(75);
    expect(pages.fitting('projects')).toBe(7);
  });

  test('goes for the first page of the next list of that name, too', async () => {
    const pages = new PagesInHand(BUDGET);
    const before = await read(pages, 90_000, 9, 'projects');
    before.learn();
    before.release();
    const api = listOf([1]);

    await walkOf(api, { pagesInHand: pages, perPage: 1000 }).next(never);

    expect(api.requests).toMatchObject([{ perPage: 7 }]);
  });

  test('takes what was not read to its end for four times as large', async () => {
    const room = new PagesInHand(BUDGET).roomFor(LIST, 1000, false);
    await room.take({}, never);

    expect(() => {
      room.hasRead(150_000);
    }).toThrow();

    expect(room.learn()).toBe(125);
  });

  test('is learned from a page that was too large, though its attempt has failed', async () => {
    const room = new PagesInHand(BUDGET).roomFor(LIST, 1000, false);
    await expect(room.take({ bytes: 800_000, entities: 1000 }, never)).rejects.toThrow();

    room.correctTo(0);

    expect(room.learn()).toBe(93);
  });

  test('is not learned from a page with hardly anything on it', async () => {
    const pages = new PagesInHand(BUDGET);

    const room = pages.roomFor(LIST, 1000, false);
    await room.take({ entities: 0 }, never);
    room.correctTo(2);
    expect(room.learn()).toBe(Infinity);

    expect(pages.fitting(LIST)).toBe(Infinity);
  });
});
