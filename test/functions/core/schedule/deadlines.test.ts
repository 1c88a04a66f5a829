import { describe, expect, it } from 'vitest';
import {
  achievableWait,
  dueNow,
  type WaitLimits,
} from '../../../../functions/core/schedule/deadlines.ts';

const MINUTE = 60_000;
const BOUND: WaitLimits = { maxWaitMs: 10 * MINUTE, turnMs: MINUTE, now: 4, perTurn: 4 };

/** Which of the feeds that have waited so many minutes have to go; later ones rank higher. */
const chosen = (minutes: readonly number[], bound: Partial<WaitLimits> = {}): number[] => {
  const waits = Float64Array.from(minutes, (each) => each * MINUTE);
  return dueNow(waits, Float64Array.from(minutes.keys()), { ...BOUND, ...bound }).sort();
};

describe('what has to be polled for the longest wait to be kept', () => {
  it('is nothing while all feeds have time', () => {
    expect(chosen([0, 1, 2, 3, 4, 5, 6, 7])).toEqual([]);
    expect(chosen([])).toEqual([]);
  });

  it('is what would have waited too long by the next turn, with half a turn to spare', () => {
    expect(chosen([8, 9, 8, 12])).toEqual([1, 3]);
    expect(chosen([8.5, 8.6])).toEqual([1]);
  });

  it('begins early where many come due at once, with those that rank highest', () => {
    expect(chosen(Array.from({ length: 8 }, () => 7))).toEqual([]);
    expect(chosen(Array.from({ length: 10 }, () => 7))).toEqual([8, 9]);
    expect(chosen([...Array.from({ length: 10 }, () => 7), 1])).toEqual([8, 9]);
    expect(chosen([...Array.from({ length: 10 }, () => 7), 9])).toEqual([10, 8, 9].sort());
  });

  it('is no more than can be polled, the longest waits first', () => {
    expect(chosen([13, 9, 12, 10, 11], { now: 2 })).toEqual([0, 2]);
    expect(chosen([0, 8, 8, 8, 9, 8, 8], { now: 1, perTurn: 1 })).toEqual([4]);
  });
});

describe('the wait that is kept', () => {
  it('is the one that is wanted if all feeds fit into its turns', () => {
    expect(achievableWait(36, BOUND)).toBe(10 * MINUTE);
    expect(achievableWait(0, BOUND)).toBe(10 * MINUTE);
    expect(achievableWait(1000, { ...BOUND, perTurn: Infinity })).toBe(10 * MINUTE);
  });

  it('is twice the time of a sweep otherwise', () => {
    expect(achievableWait(37, BOUND)).toBe(21 * MINUTE);
    expect(achievableWait(3, { ...BOUND, perTurn: 0, maxWaitMs: 2 * MINUTE })).toBe(7 * MINUTE);
  });
});
