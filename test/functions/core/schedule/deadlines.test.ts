import { describe, expect, it } from 'vitest';
import {
  achievableWait,
  dueNow,
  type WaitLimits,
} from '../../../../functions/core/schedule/deadlines.ts';

const MINUTE = 60_000;
const LIMITS: WaitLimits = { maxWaitMs: 10 * MINUTE, turnMs: MINUTE, budget: 4, budgetPerTurn: 4 };
const SEVENS = Array.from({ length: 10 }, () => 7);

describe('dueNow', () => {
  it.each<[string, number[], Partial<WaitLimits>, number[]]>([
    ['nothing while all feeds have time', [0, 1, 2, 3, 4, 5, 6, 7], {}, []],
    ['nothing of no feeds', [], {}, []],
    ['feeds that would be overdue in the next turn', [8, 9, 8, 12], {}, [1, 3]],
    ['feeds with less than half a turn to spare', [8.5, 8.6], {}, [1]],
    ['nothing while later turns have budget', SEVENS.slice(0, 8), {}, []],
    ['the highest ranks of feeds that would exceed a later turn', SEVENS, {}, [8, 9]],
    ['the same with a feed that has time', [...SEVENS, 1], {}, [8, 9]],
    ['the same behind a feed whose deadline is now', [...SEVENS, 9], {}, [10, 8, 9]],
    ['the longest waits where more are overdue', [13, 9, 12, 10, 11], { budget: 2 }, [0, 2]],
    [
      'the earliest deadline of a budget of one',
      [0, 8, 8, 8, 9, 8, 8],
      { budget: 1, budgetPerTurn: 1 },
      [4],
    ],
  ])('returns %s', (_, minutes, limits, expected) => {
    const waits = Float64Array.from(minutes, (each) => each * MINUTE);
    const laterRankHigher = Float64Array.from(minutes.keys());
    const due = dueNow(waits, laterRankHigher, { ...LIMITS, ...limits });
    expect(due.sort()).toEqual(expected.sort());
  });
});

describe('achievableWait', () => {
  it.each<[string, number, Partial<WaitLimits>, number]>([
    ['the configured wait if all feeds fit into its turns', 36, {}, 10],
    ['the configured wait without feeds', 0, {}, 10],
    ['the configured wait without a budget', 1000, { budgetPerTurn: Infinity }, 10],
    ['twice the time of a sweep otherwise', 37, {}, 21],
    ['a finite wait if nothing may be polled', 3, { budgetPerTurn: 0, maxWaitMs: 2 * MINUTE }, 7],
  ])('is %s', (_, feedCount, limits, minutes) => {
    expect(achievableWait(feedCount, { ...LIMITS, ...limits })).toBe(minutes * MINUTE);
  });
});
