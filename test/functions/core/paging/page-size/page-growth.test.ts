import { describe, expect, it } from 'vitest';
import { PageGrowth } from '../../../../../functions/core/paging/page-size/page-growth.ts';

/** Searches from pages of 12 on, and returns the sizes that are requested. */
function search(advancesFrom: number, isReadUpTo: number): readonly number[] {
  const growth = new PageGrowth();
  const sizes: number[] = [];
  let perPage = 12;
  let canGoOn = growth.grow(perPage, 2 * perPage);
  while (canGoOn) {
    perPage = growth.perPage ?? 0;
    sizes.push(perPage);
    if (perPage > isReadUpTo) canGoOn = growth.shrink(perPage);
    else if (perPage < advancesFrom) canGoOn = growth.grow(perPage, 2 * perPage);
    else break;
  }
  return sizes;
}

describe('the size of a page that advances', () => {
  it.each<[string, number, number, readonly number[]]>([
    ['is double, as long as that can be read', 90, 1000, [24, 48, 96]],
    [
      'lies between one that is too small and one that is too large',
      201,
      264,
      [24, 48, 96, 192, 384, 288, 240],
    ],
    ['may be the only one between', 20, 20, [24, 18, 21, 19, 20]],
    ['is 1000 at most', 1001, 2000, [24, 48, 96, 192, 384, 768, 1000]],
    ['may be none: then the smallest that cannot be read tells it', 20, 19, [24, 18, 21, 19, 20]],
  ])('%s', (_, advancesFrom, isReadUpTo, sizes) => {
    expect(search(advancesFrom, isReadUpTo)).toEqual(sizes);
  });

  it('is searched without the old bounds once the list may have advanced', () => {
    const growth = new PageGrowth();
    growth.grow(500, 1000);
    growth.shrink(1000);
    growth.keep();
    expect(growth.perPage).toBe(750);
    expect([growth.shrink(750), growth.perPage]).toEqual([true, 375]);
    growth.end();
    expect(growth.perPage).toBeUndefined();
    expect([growth.grow(750, 1500), growth.perPage]).toEqual([true, 1000]);
  });

  it('is at least two: one entity alone may repeat the page before', () => {
    const growth = new PageGrowth();
    growth.grow(2, 3);
    growth.keep();
    expect(growth.shrink(3)).toBe(false);
  });

  it('is the last one that did not advance after larger pages were given up, until the list advances', () => {
    const growth = new PageGrowth();
    growth.grow(12, 24);
    growth.giveUp();
    expect(growth.perPage).toBe(12);
    expect(growth.grow(12, 24)).toBe(false);
    growth.end();
    expect(growth.grow(12, 24)).toBe(true);
  });

  it('is the usual one after larger pages were given up behind a timestamp that was stepped over', () => {
    const growth = new PageGrowth();
    growth.grow(12, 24);
    growth.keep();
    growth.giveUp();
    expect(growth.perPage).toBeUndefined();
    expect(growth.grow(12, 24)).toBe(true);
  });
});
