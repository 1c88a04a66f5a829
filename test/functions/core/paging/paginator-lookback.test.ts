import { describe, expect, it } from 'vitest';
import { at } from '../../../support/list-service.ts';
import { cursors, listOf, sent, walkAll } from '../../../support/walks.ts';

describe('the cautious cursor', () => {
  it('stays the overlap behind the latest entity, too: the clock of Date may be ahead', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(at(500)) });
    const pages = await walkAll(api, { perPage: 1000, overlapMs: 60_000 });
    expect(pages).toMatchObject([{ cursor: at(90), cautiousCursor: at(30) }]);
  });

  it('is never before where the walk stands', async () => {
    const api = listOf([1, 2, 90], { clock: () => Date.parse(at(500)) });
    const later = await walkAll(api, { cursor: at(50), finalForMs: 60_000, overlapMs: 60_000 });
    expect(later).toMatchObject([{ cautiousCursor: at(50) }]);
  });
});

describe('a cursor that was committed with a smaller overlap', () => {
  it('is gone back behind once, by the difference, and does not go back itself', async () => {
    const api = listOf([1, 2, 90]);
    const pages = await walkAll(api, {
      perPage: 1000,
      cursor: at(50),
      finalForMs: 10_000,
      overlapMs: 60_000,
    });
    expect(sent(api)).toEqual([at(0)]);
    expect(cursors(pages)).toEqual([at(50)]);
  });

  it('or by an earlier version, which did not store one, is gone back behind by all of it', async () => {
    const api = listOf([1, 2, 90]);
    await walkAll(api, { cursor: at(70), overlapMs: 60_000 });
    expect(sent(api)).toEqual([at(10)]);
  });

  it('is good as it is for a smaller one', async () => {
    const api = listOf([1, 2, 90]);
    await walkAll(api, { cursor: at(70), finalForMs: 60_000, overlapMs: 10_000 });
    expect(sent(api)).toEqual([at(70)]);
  });
});
