import { describe, expect, it } from 'vitest';
import { timeAt } from '../../../support/list-service.ts';
import { cursorsOf, listOf, requestedCursors, readList } from '../../../support/paginator-setup.ts';

describe('the cautious cursor', () => {
  it('stays the overlap behind the latest entity, too: the clock of Date may be ahead', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(timeAt(500)) });
    const pages = await readList(api, { perPage: 1000, lookbackMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: timeAt(90), lookbackCursor: timeAt(30) }]);
  });

  it('is never before where the walk stands', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(timeAt(500)) });
    const later = await readList(api, {
      cursor: timeAt(50),
      committedLookbackMs: 60_000,
      lookbackMs: 60_000,
    });
    expect(later).toMatchObject([{ lookbackCursor: timeAt(50) }]);
  });
});

describe('a cursor that was committed with a smaller overlap', () => {
  it('is gone back behind once, by the difference, and does not go back itself', async () => {
    const api = listOf([1, 2, 90]);
    const pages = await readList(api, {
      perPage: 1000,
      cursor: timeAt(50),
      committedLookbackMs: 10_000,
      lookbackMs: 60_000,
    });
    expect(requestedCursors(api)).toEqual([timeAt(0)]);
    expect(cursorsOf(pages)).toEqual([timeAt(50)]);
  });

  it('or by an earlier version, which did not store one, is gone back behind by all of it', async () => {
    const api = listOf([1, 2, 90]);
    await readList(api, { cursor: timeAt(70), lookbackMs: 60_000 });
    expect(requestedCursors(api)).toEqual([timeAt(10)]);
  });

  it('is good as it is for a smaller one', async () => {
    const api = listOf([1, 2, 90]);
    await readList(api, { cursor: timeAt(70), committedLookbackMs: 60_000, lookbackMs: 10_000 });
    expect(requestedCursors(api)).toEqual([timeAt(70)]);
  });
});
