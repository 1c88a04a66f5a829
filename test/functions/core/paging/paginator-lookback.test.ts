import { describe, expect, it } from 'vitest';
import { at } from '../../../support/list-service.ts';
import { cursors, listOf, requestedCursor, walkAll } from '../../../support/walks.ts';

describe('the cautious cursor', () => {
  it('stays the overlap behind the latest entity, too: the clock of Date may be ahead', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(at(500)) });
    const pages = await walkAll(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(90), lookbackCursor: at(30) }]);
  });

  it('is never before where the walk stands', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(at(500)) });
    const later = await walkAll(api, {
      cursor: at(50),
      committedLookbackMs: 60_000,
      lookbackMs: 60_000,
    });
    expect(later).toMatchObject([{ lookbackCursor: at(50) }]);
  });
});

describe('a cursor that was committed with a smaller overlap', () => {
  it('is gone back behind once, by the difference, and does not go back itself', async () => {
    const api = listOf([1, 2, 90]);
    const pages = await walkAll(api, {
      perPage: 1000,
      cursor: at(50),
      committedLookbackMs: 10_000,
      lookbackMs: 60_000,
    });
    expect(requestedCursor(api)).toEqual([at(0)]);
    expect(cursors(pages)).toEqual([at(50)]);
  });

  it('or by an earlier version, which did not store one, is gone back behind by all of it', async () => {
    const api = listOf([1, 2, 90]);
    await walkAll(api, { cursor: at(70), lookbackMs: 60_000 });
    expect(requestedCursor(api)).toEqual([at(10)]);
  });

  it('is good as it is for a smaller one', async () => {
    const api = listOf([1, 2, 90]);
    await walkAll(api, { cursor: at(70), committedLookbackMs: 60_000, lookbackMs: 10_000 });
    expect(requestedCursor(api)).toEqual([at(70)]);
  });
});
