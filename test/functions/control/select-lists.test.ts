import { describe, expect, it } from 'vitest';
import type { ListStatus, StatusRequest } from '../../../functions/control/protocol.ts';
import { selectLists, untilFull } from '../../../functions/control/select-lists.ts';

const LISTS: readonly ListStatus[] = [
  { list: 'd', state: 'baseline' },
  { list: 'e', state: 'parked', lagSeconds: 200_000, failures: 9 },
  { list: 'c', state: 'paused', lagSeconds: 100_000 },
  { list: 'f', state: 'live', lagSeconds: 12 },
  { list: 'b', state: 'waiting', lagSeconds: 3600, failures: 7 },
  { list: 'a', state: 'live', lagSeconds: 12, lastChangeAt: '2026-11-22T08:00:00.000Z' },
];

describe('the lists that a status shows', () => {
  it.each<[Pick<StatusRequest, 'state'>, string]>([
    [{}, 'b d a f c e'],
    [{ state: 'waiting' }, 'b'],
    [{ state: 'paused' }, 'c'],
    [{ state: 'parked' }, 'e'],
  ])('are those asked for, the worst first: %j', (request, expected) => {
    const lists = selectLists(LISTS, request);
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
