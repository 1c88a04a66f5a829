import { describe, expect, it } from 'vitest';
import { RequestRate } from '../../../../functions/adapters/service-api/adaptive-rate.ts';

const MINUTE = 60_000;

/** Begins so many requests at a time. */
function begin(rate: RequestRate, count: number, now: number): number {
  let next = now;
  for (let n = 0; n < count; n += 1) next = rate.begin(now);
  return next;
}

describe('the rate of requests', () => {
  it('is what the operator allows', () => {
    const rate = new RequestRate(100);
    expect(rate.perMinute(0)).toBe(100);
    expect(begin(rate, 100, 0)).toBe(0);
  });

  it('is halved by a refusal, and whole again ten minutes after the pause', () => {
    const rate = new RequestRate(100);
    rate.halve(0, MINUTE);
    expect(rate.perMinute(0)).toBe(50);
    expect(rate.perMinute(MINUTE)).toBe(50);
    expect(rate.perMinute(3 * MINUTE)).toBe(60);
    expect(rate.perMinute(11 * MINUTE)).toBe(100);
    expect(rate.perMinute(60 * MINUTE)).toBe(100);
  });

  it('is halved again by the next refusal, down to a tenth, but never to nothing', () => {
    const rate = new RequestRate(100);
    for (const left of [50, 25, 12, 10, 10]) {
      rate.halve(0, 0);
      expect(rate.perMinute(0)).toBe(left);
    }
    const slow = new RequestRate(1);
    slow.halve(0, 0);
    expect(slow.perMinute(0)).toBe(1);
  });

  it('lets the next request begin when enough of the last minute are over', () => {
    const rate = new RequestRate(10);
    rate.halve(0, 0);
    expect(begin(rate, 4, 0)).toBe(0);
    expect(rate.begin(1000)).toBe(0 + MINUTE);
    expect(rate.begin(2000)).toBe(0 + MINUTE);
    expect(rate.begin(MINUTE + 1)).toBe(MINUTE + 1);
  });

  it('leaves so many requests as a time has room for', () => {
    const rate = new RequestRate(10);
    expect(rate.left(0, MINUTE)).toBe(10);
    begin(rate, 4, 0);
    begin(rate, 3, 30_000);
    expect(rate.left(30_000, 1000)).toBe(3);
    expect(rate.left(30_000, 29_999)).toBe(3);
    expect(rate.left(30_000, 30_000)).toBe(7);
    expect(rate.left(30_000, MINUTE)).toBe(10);
    expect(rate.left(30_000, MINUTE + 1)).toBe(10 + 3);
    expect(rate.left(30_000, 2.5 * MINUTE)).toBe(20 + 7);
    expect(rate.left(2 * MINUTE, 1000)).toBe(10);
  });

  it('leaves nothing rather than less when it was halved', () => {
    const rate = new RequestRate(10);
    begin(rate, 8, 0);
    rate.halve(0, 0);
    expect(rate.left(0, 1000)).toBe(0);
  });
});
