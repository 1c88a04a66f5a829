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

  it('speaks for its resource at the second time, if lists of another one are read', () => {
    const limited = new LimitedLists();
    const lists = ['p', 'q', 'r'].map((project) => `projects/${project}/floorplans`);
    const [p = '', q = '', r = ''] = lists;
    limited.read('projects');
    limited.read('projects/p/checklists');
    limited.limited(p, false);
    expect(limited.hasOwnLimit(q)).toBe(false);
    limited.limited(q, false);
    expect(lists.map((id) => limited.hasOwnLimit(id))).toEqual([true, true, true]);
    expect(limited.hasOwnLimit('projects/p/checklists')).toBe(false);
    limited.read(r);
    expect(lists.map((id) => limited.hasOwnLimit(id))).toEqual([false, false, false]);
  });

  it('is known to the next run, which is told of a hundred, those of most polls first', () => {
    const limited = new LimitedLists();
    expect(limited.handover).toBeUndefined();
    for (let n = 0; n < 99; n += 1) limited.limited(`list ${n}`, false);
    limited.read('projects');
    for (let n = 0; n < 2; n += 1) limited.limited(`projects/${n}/last`, false);
    const { handover = {} } = limited;
    expect(Object.keys(handover)).toHaveLength(100);
    expect(Object.entries(handover)[0]).toEqual(['*/last', 2]);
    expect(new LimitedLists(handover).hasOwnLimit('projects/5/last')).toBe(true);
  });
});
