import { describe, expect, it } from 'vitest';
import type { ListStatus, StatusRequest } from '../../../functions/control/protocol.ts';
import { selectLists, untilFull } from '../../../functions/control/select-lists.ts';

const LISTS: readonly ListStatus[] = [
  { list: 'd', state: 'baseline' },
  { list: 'e', state: 'parked', lagSeconds: 200_000, failures: 9 },
  { list: 'c', state: 'paused', lagSeconds: 100_000 },
  { list: 'b', state: 'waiting', lagSeconds: 3600, failures: 7 },
  { list: 'a', state: 'live', lagSeconds: 12, lastChangeAt: '2026-11-22T08:00:00.000Z' },
];

describe('the lists that a status tells', () => {
  it.each<[Omit<StatusRequest, 'command'>, string]>([
    [{}, 'a b c d e'],
    [{ sort: 'failures' }, 'b d a c e'],
    [{ sort: 'lag' }, 'd b a c e'],
    [{ sort: 'last-change' }, 'a b c d e'],
    [{ sort: 'name', after: 'b' }, 'c d e'],
    [{ state: 'waiting' }, 'b'],
    [{ state: 'paused' }, 'c'],
    [{ state: 'parked' }, 'e'],
  ])('are those in the order asked for: %j', (request, expected) => {
    const lists = selectLists(LISTS, { command: 'status', ...request });
    expect(lists.map(({ list }) => list).join(' ')).toBe(expected);
  });

  it('are as many as the limit, and as fit an answer of Lambda', () => {
    expect([untilFull(LISTS, 2).length, untilFull(LISTS, 0).length]).toEqual([2, 0]);
    const large = Array.from({ length: 30_000 }, (_, n): ListStatus => {
      return { list: `projects/${n}/floorplans`, state: 'live', cause: 'x'.repeat(200) };
    });
    const { length } = JSON.stringify(untilFull(large));
    expect(length).toBeLessThan(5_100_000);
    expect(length).toBeGreaterThan(4_900_000);
  });
});
