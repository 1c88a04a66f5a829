import { describe, expect, it } from 'vitest';
import { LimitedLists } from '../../../../functions/core/schedule/limited-lists.ts';

describe('a list that was answered with 429', () => {
  it('is polled last', () => {
    const limited = new LimitedLists();
    limited.limited('b', false);
    expect(limited.inOrder(['a', 'b', 'c'])).toEqual(['a', 'c', 'b']);
  });

  it('has a limit of its own at the second time, if another list was read before', () => {
    const limited = new LimitedLists();
    limited.limited('b', false);
    limited.limited('b', false);
    expect(limited.hasOwnLimit('b')).toBe(false);
    limited.read('a');
    limited.limited('b', false);
    expect(limited.hasOwnLimit('b')).toBe(true);
    expect(limited.inOrder(['b', 'a'])).toEqual(['b', 'a']);
  });

  it('has none if pages of it were read in between, or its whole list', () => {
    const limited = new LimitedLists({ b: 2, c: 2 });
    limited.read('c');
    limited.limited('b', true);
    expect([limited.hasOwnLimit('b'), limited.has('c')]).toEqual([false, false]);
  });

  it('is known to the next run, which is told of twenty', () => {
    const limited = new LimitedLists();
    expect(limited.handover).toBeUndefined();
    for (let n = 0; n < 30; n += 1) limited.limited(`list ${n}`, false);
    expect(Object.keys(limited.handover ?? {})).toHaveLength(20);
    expect(new LimitedLists(limited.handover).has('list 29')).toBe(true);
  });
});
