import { describe, expect, it } from 'vitest';
import {
  changesBetween,
  nextActivity,
  recentChanges,
} from '../../../../functions/core/model/feed.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the activity of a feed', () => {
  it('stays unchanged when a page shows no change', () => {
    expect(nextActivity({ lastChange: 5, recentChanges: 2 }, 0, NOW)).toEqual({});
  });

  it('counts changes of an hour ago almost fully, and those of last week hardly at all', () => {
    const activity = nextActivity({}, 8, NOW);
    expect(activity).toEqual({ lastChange: NOW, recentChanges: 8 });
    expect(recentChanges(activity, NOW + HOUR)).toBeCloseTo(7.7, 1);
    expect(recentChanges(activity, NOW + 7 * DAY)).toBeLessThan(0.01);
    expect(nextActivity(activity, 2, NOW + HOUR).recentChanges).toBeCloseTo(9.7, 1);
  });

  it('caps the changes of a bulk import', () => {
    expect(nextActivity({}, 1000, NOW).recentChanges).toBe(50);
  });

  it('never goes back when an older change is found later', () => {
    const activity = { lastChange: NOW, recentChanges: 1 };
    const expected = { lastChange: NOW, recentChanges: 2 };
    expect(nextActivity(activity, 1, NOW - HOUR)).toEqual(expected);
  });

  it('counts the number of changes between two states', () => {
    const before = { lastChange: NOW - HOUR, recentChanges: 31.4 };
    const after = nextActivity(before, 7, NOW);
    expect(changesBetween(before, after)).toBe(7);
    expect(changesBetween(before, before)).toBe(0);
    expect(changesBetween({}, {})).toBe(0);
  });
});
