import { expect, it, vi } from 'vitest';
import { MAX_ATTEMPTS, retryWait } from '../../../functions/deliver/next-attempt.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

it.each([
  [1, 5000],
  [2, 5 * MINUTE],
  [3, 30 * MINUTE],
  [4, 2 * HOUR],
  [900, 10 * HOUR],
])('after receipt %i waits %i ms, and up to a tenth more', (receiveCount, wait) => {
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  expect(retryWait(receiveCount)).toBe(wait);
  random.mockReturnValue(0.5);
  expect(retryWait(receiveCount)).toBeCloseTo(1.05 * wait, 3);
});

it.each([
  ['a longer wait is heeded', 20 * MINUTE, 20 * MINUTE],
  ['a shorter wait is not', 1000, 5 * MINUTE],
  ['SQS hides a message for less than 12 hours', 5 * DAY, 12 * HOUR - 5 * MINUTE],
])('of Retry-After %s', (_, retryAfterMs, expected) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  expect(retryWait(2, retryAfterMs)).toBe(expected);
});

it('all attempts take three days', () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) => retryWait(n + 1));
  const days = waits.reduce((sum, wait) => sum + wait, 0) / DAY;
  expect(days).toBeGreaterThan(2.9);
  expect(days).toBeLessThan(3.1);
});
