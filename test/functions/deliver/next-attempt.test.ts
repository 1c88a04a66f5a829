import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nextAttempt, RETRY_MS, untriedWait } from '../../../functions/deliver/next-attempt.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const failed = (fields: object = {}) => ({
  messageId: 'm',
  count: 1,
  firstAt: 0,
  now: 0,
  ...fields,
});

it.each([
  [1, 5000],
  [2, 5 * MINUTE],
  [3, 30 * MINUTE],
  [4, 2 * HOUR],
  [5, 5 * HOUR],
  [6, 10 * HOUR],
  [7, 10 * HOUR],
  [900, 10 * HOUR],
])('after attempt %i waits %i ms, and up to a tenth more', (count, wait) => {
  const waits = Array.from({ length: 100 }, (_, id) =>
    nextAttempt(failed({ count, messageId: String(id) })),
  ) as number[];
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(wait);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1.1 * wait);
  expect(new Set(waits).size).toBeGreaterThan(90);
});

it.each([
  ['a longer wait is heeded', 20 * MINUTE, 20 * MINUTE],
  ['a shorter wait is not', 1000, undefined],
  ['SQS hides a message for less than 12 hours', 5 * DAY, 12 * HOUR - 5 * MINUTE],
])('of Retry-After %s', (_, retryAfterMs, expected) => {
  const planned = nextAttempt(failed({ count: 2 }));
  expect(nextAttempt(failed({ count: 2, retryAfterMs }))).toBe(expected ?? planned);
});

it('the attempts of three days are eleven at least, whatever the endpoint asks for, and the last one ends them', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(5 * HOUR), (messageId, retryAfterMs) => {
      let now = 0;
      let count = 1;
      for (;;) {
        const wait = nextAttempt({ messageId, count, firstAt: 0, now, retryAfterMs });
        if (wait === undefined) break;
        expect(wait).toBeLessThanOrEqual(12 * HOUR);
        now += wait;
        count += 1;
      }
      expect(now).toBe(RETRY_MS);
      expect(count).toBeGreaterThanOrEqual(11);
    }),
  );
});

it('a message that nobody can count is in its queue until SQS deletes it', () => {
  const waits = Array.from({ length: 1000 }, (_, n) => untriedWait(n + 1));
  expect(waits.slice(0, 4)).toEqual([5000, 5 * MINUTE, 30 * MINUTE, 30 * MINUTE]);
  expect(waits.reduce((sum, wait) => sum + wait)).toBeGreaterThan(14 * DAY);
});
