import { describe, expect, it } from 'vitest';
import {
  achievableWait,
  deadlineCount,
  type WaitLimits,
} from '../../../../functions/core/schedule/deadlines.ts';

const MINUTE = 60_000;
const LIMITS: WaitLimits = { maxWaitMs: 10 * MINUTE, turnMs: MINUTE, budgetPerTurn: 4 };
const SEVENS = Array.from({ length: 10 }, () => 7);

describe('deadlineCount', () => {
  it.each<[string, number[], Partial<WaitLimits>, number]>([
    ['nothing while all have time', [7, 6, 5, 4, 3, 2, 1, 0], {}, 0],
    ['nothing of no lists', [], {}, 0],
    ['lists that would be overdue in the next turn', [12, 9, 8, 8], {}, 2],
    ['lists with less than half a turn to spare', [8.6, 8.5], {}, 1],
    ['nothing while later turns have budget', SEVENS.slice(0, 8), {}, 0],
    ['lists that would exceed a later turn', SEVENS, {}, 2],
    ['the same with a list that has time', [...SEVENS, 1], {}, 2],
    ['the same behind a list whose deadline is now', [9, ...SEVENS], {}, 3],
    ['all that are overdue', [13, 12, 11, 10, 9], { budgetPerTurn: 2 }, 5],
    ['part of a list as a whole one', [8, 8, 8], { budgetPerTurn: 2.5 }, 1],
    ['nothing early without a limit', [9, 8, 8], { budgetPerTurn: Infinity }, 1],
  ])('is %s', (_, minutes, limits, expected) => {
    const waits = minutes.map((each) => each * MINUTE);
    expect(deadlineCount(waits, { ...LIMITS, ...limits })).toBe(expected);
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
