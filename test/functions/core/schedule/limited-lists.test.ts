import { describe, expect, it } from 'vitest';
import { LimitedLists } from '../../../../functions/core/schedule/limited-lists.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

const limitedLists = (known?: ConstructorParameters<typeof LimitedLists>[1], now = NOW) =>
  new LimitedLists(() => now, known);

/** A random place. */
const middle = () => 0.5;

/** What the next run knows. */
const nextRun = (limited: LimitedLists, now = NOW) => limitedLists(limited.handover, now);

describe('a list that was answered with 429', () => {
  it('is polled last, also after it was read', () => {
    const limited = limitedLists();
    limited.limited('b');
    expect(limited.inOrder(['a', 'b', 'c'], middle)).toEqual(['a', 'c', 'b']);
    limited.read('b');
    expect(limited.inOrder(['a', 'b', 'c'], middle)).toEqual(['a', 'c', 'b']);
    expect(limited.has('b')).toBe(false);
  });

  it('has a limit of its own at the second time, if another list was read before, and is polled at any place until it is read', () => {
    const limited = limitedLists();
    limited.limited('b');
    limited.limited('b');
    expect(limited.hasOwnLimit('b')).toBe(false);
    limited.read('a');
    limited.limited('b');
    expect(limited.hasOwnLimit('b')).toBe(true);
    limited.read('a');
    limited.limited('c');
    const orderAt = (place: number) => limited.inOrder(['c', 'a', 'd', 'b'], () => place);
    expect([0, 0.4, 0.6, 0.9].map(orderAt)).toEqual([
      ['b', 'a', 'd', 'c'],
      ['a', 'b', 'd', 'c'],
      ['a', 'd', 'b', 'c'],
      ['a', 'd', 'b', 'c'],
    ]);
    limited.read('b');
    expect(orderAt(0)).toEqual(['a', 'd', 'b', 'c']);
  });

  it('has a limit of its own also if the other list is read right after it', () => {
    const limited = limitedLists({ b: { count: 1, at: NOW, isRead: true } });
    limited.limited('b');
    expect(limited.hasOwnLimit('b')).toBe(false);
    limited.read('a');
    expect(limited.hasOwnLimit('b')).toBe(true);
    expect(limited.has('b')).toBe(true);
    expect(limited.handover).toEqual({ b: { count: 2, at: NOW } });
  });

  it.each([
    ['it was read in between', false],
    ['pages of it were read before', true],
  ])('has a limit of its own at the second time, also if %s', (_, hasAdvanced) => {
    const first = limitedLists();
    if (hasAdvanced) first.read('b');
    first.limited('b');
    const second = nextRun(first);
    second.read('a');
    second.read('b');
    const third = nextRun(second);
    third.read('a');
    if (hasAdvanced) third.read('b');
    third.limited('b');
    expect(third.hasOwnLimit('b')).toBe(true);
  });

  it('has none if it was read before another one was answered so: they are limited together', () => {
    const limited = limitedLists();
    limited.read('a');
    limited.limited('b');
    limited.read('b');
    limited.limited('c');
    limited.limited('b');
    expect(limited.hasOwnLimit('b')).toBe(false);
  });

  it('keeps its own limit if another one is answered so, and it is not read any more', () => {
    const limited = limitedLists({ b: { count: 2, at: NOW } });
    limited.limited('c');
    expect(limited.hasOwnLimit('b')).toBe(true);
  });

  it('loses it if another one is answered so before any list is read, also in the next run', () => {
    const limited = limitedLists({ b: { count: 2, at: NOW } });
    limited.limited('b');
    const second = nextRun(limited);
    expect(second.hasOwnLimit('b')).toBe(true);
    second.limited('c');
    expect(second.hasOwnLimit('b')).toBe(false);
    // It has backed off for it, so it must not come last.
    const third = nextRun(second);
    expect(third.comesLast('b')).toBe(false);
    expect(third.inOrder(['a', 'b', 'c'], () => 0)).toEqual(['a', 'b', 'c']);
    expect(third.inOrder(['c', 'a', 'b'], () => 0)).toEqual(['b', 'a', 'c']);
  });

  it('keeps it if another one is answered so once a list was read', () => {
    const limited = limitedLists({ b: { count: 2, at: NOW } });
    limited.limited('b');
    limited.read('a');
    const second = nextRun(limited);
    second.limited('c');
    expect(second.hasOwnLimit('b')).toBe(true);
  });

  it('has none two hours after the last 429', () => {
    const limited = limitedLists({ b: { count: 2, at: NOW - 2 * HOUR } });
    expect([limited.hasOwnLimit('b'), limited.has('b')]).toEqual([false, false]);
    const again = limitedLists({ b: { count: 2, at: NOW - 2 * HOUR + 1 } });
    expect(again.hasOwnLimit('b')).toBe(true);
    again.limited('b');
    expect(nextRun(again, NOW + HOUR).hasOwnLimit('b')).toBe(true);
  });

  it('has none two hours after a clock that was ahead has said so', () => {
    const limited = limitedLists({ b: { count: 2, at: NOW + 9 * HOUR } });
    expect(nextRun(limited, NOW + 2 * HOUR).hasOwnLimit('b')).toBe(false);
  });

  it('speaks for its resource in the second run, if lists of another one are read', () => {
    const first = limitedLists();
    const lists = ['p', 'q', 'r'].map((project) => `projects/${project}/floorplans`);
    const [p = '', q = '', r = ''] = lists;
    first.read('projects/p/checklists');
    first.limited(p);
    first.limited(q);
    expect(first.hasOwnLimit(r)).toBe(false);
    const limited = nextRun(first);
    limited.limited(r);
    expect(limited.hasOwnLimit(r)).toBe(false);
    limited.read('projects/p/checklists');
    expect(lists.map((id) => limited.hasOwnLimit(id))).toEqual([true, true, true]);
    expect(limited.hasOwnLimit('projects/p/checklists')).toBe(false);
    limited.read(r);
    expect(lists.map((id) => limited.hasOwnLimit(id))).toEqual([false, false, false]);
  });

  it('does not speak for its resource if a quota of all lists ends for several requests at once, again and again', () => {
    let limited = limitedLists();
    for (let window = 0; window < 5; window += 1) {
      for (const project of ['p', 'q', 'r']) limited.read(`projects/${project}/checklists`);
      limited.read('projects/p/floorplans');
      for (const project of ['q', 'r', 's']) limited.limited(`projects/${project}/floorplans`);
      expect(limited.hasOwnLimit('projects/p/floorplans')).toBe(false);
      limited = nextRun(limited);
    }
  });

  it('is known to the next run, which is told of a thousand, those of most polls first', () => {
    const limited = limitedLists();
    expect(limited.handover).toBeUndefined();
    for (let n = 0; n < 998; n += 1) limited.limited(`list ${n}`);
    limited.read('projects');
    limited.limited('projects/0/last');
    const second = nextRun(limited);
    second.read('projects');
    second.limited('projects/1/last');
    const { handover = {} } = second;
    expect(Object.keys(handover)).toHaveLength(1_000);
    expect(Object.entries(handover)[0]).toEqual(['*/last', { count: 2, at: NOW }]);
    expect(limitedLists(handover).hasOwnLimit('projects/5/last')).toBe(true);
  });
});
