import { describe, expect, it } from 'vitest';
import type { Activity } from '../../../../functions/core/model/feed.ts';
import { BUCKETS, ChangeRates } from '../../../../functions/core/schedule/change-rates.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const bucketOf = (activity: Activity): number => new ChangeRates().bucketOf(activity, NOW);

describe('ChangeRates', () => {
  it('separates feeds by recent changes and by the time since the last one', () => {
    const buckets = [
      bucketOf({ lastChange: NOW, recentChanges: 1 }),
      bucketOf({ lastChange: NOW - 10 * MINUTE, recentChanges: 1 }),
      bucketOf({ lastChange: NOW, recentChanges: 100 }),
      bucketOf({ lastChange: NOW - 10 * DAY, recentChanges: 1 }),
    ];
    expect(new Set(buckets).size).toBe(4);
    expect(buckets.at(-1)).toBe(bucketOf({}));
    expect(Math.max(...buckets)).toBeLessThan(BUCKETS);
  });

  it('separates the times since the last change at 4 and 16 minutes', () => {
    const at = (minutes: number) =>
      bucketOf({ lastChange: NOW - minutes * MINUTE, recentChanges: 0.1 });
    expect([0, 3.9, 4, 15.9, 16, 60].map((minutes) => at(minutes))).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it.each([NOW - 1e12, NOW + HOUR])('has a bucket for a last change at %i', (lastChange) => {
    expect(bucketOf({ lastChange, recentChanges: 1e9 })).toBeLessThan(BUCKETS);
  });

  it('guesses at first: the busier, the higher', () => {
    const rates = new ChangeRates().rates();
    const rateOf = (recent: number) =>
      rates[bucketOf({ lastChange: NOW, recentChanges: recent })] ?? 0;
    expect(rateOf(1)).toBeGreaterThan(rateOf(0.1));
    expect(rateOf(100)).toBeGreaterThan(rateOf(1));
  });

  it('approaches the rate that polls find, and forgets it', () => {
    const rates = new ChangeRates();
    const guess = rates.rates()[7] ?? 0;
    for (let n = 0; n < 10; n += 1) rates.record(7, 50_000, 100_000 * MINUTE);
    expect((rates.rates()[7] ?? 0) * MINUTE).toBeCloseTo(0.5, 2);
    expect(rates.rates()[8]).toBe(new ChangeRates().rates()[8]);
    rates.forget(90 * DAY);
    expect(rates.rates()[7]).toBeCloseTo(guess, 12);
  });

  it('halves its memory in 1.39 days, and ignores a clock that went back', () => {
    const rates = new ChangeRates();
    rates.record(7, 8, HOUR);
    rates.forget(-HOUR);
    expect([rates.changes[7], rates.observedMs[7]]).toEqual([8, HOUR]);
    rates.forget(2 * DAY * Math.LN2);
    expect(rates.changes[7]).toBeCloseTo(4, 6);
    expect(rates.observedMs[7]).toBeCloseTo(HOUR / 2, 3);
  });
});
