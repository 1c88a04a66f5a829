import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../../../functions/adapters/shared/retry-after.ts';

const NOW = Date.parse('2026-03-02T08:00:00.250Z');

/** The wait that an answer with these headers requests. */
function waitOf(headers: Record<string, string>, status = 429): number | undefined {
  return readRetryAfter({ status, headers: new Headers(headers) }, NOW);
}

describe('Retry-After', () => {
  it.each([
    ['whole seconds', '12', 12_000],
    ['a fraction of a second', '0.25', 250],
    ['milliseconds since 1970', String(NOW + 1_234), 1_234],
    ['an HTTP date', 'Mon, 02 Mar 2026 08:00:10 GMT', 9_750],
    ['a time that has passed', 'Mon, 02 Mar 2026 07:00:00 GMT', 0],
    ['no time at all', '0', 0],
  ])('may be %s', (_, value, waitMs) => {
    expect(waitOf({ 'retry-after': value })).toBe(waitMs);
  });

  it.each(['', 'soon', '-5', '1e3', '5s', 's5', '1.', '.5', '1,5', 'M, 5', 'x Mon, 02 Mar 2026'])(
    'of %j is ignored',
    (value) => {
      expect(waitOf({ 'retry-after': value })).toBeUndefined();
    },
  );
});

describe('the headers that name the end of a limit', () => {
  it.each([
    'ratelimit-reset',
    'x-ratelimit-reset',
    'x-rate-limit-reset',
    'x-ratelimit-requests-reset',
  ])('count with a 429: %s', (name) => {
    expect(waitOf({ [name]: '7' })).toBe(7_000);
    expect(waitOf({ [name]: '7' }, 503)).toBeUndefined();
  });

  it.each(['limit=10, remaining=0, reset=7', '"default";r=0;t=7', '"a";r=0;t=7, "b";r=9;t=2'])(
    'count in the header RateLimit: %s',
    (value) => {
      expect(waitOf({ ratelimit: value })).toBe(7_000);
    },
  );

  it.each(['ratelimit-limit', 'ratelimit-remaining', 'x-ratelimit-used', 'x-reset'])(
    'are not others: %s',
    (name) => {
      expect(waitOf({ [name]: '7' })).toBeUndefined();
    },
  );

  it('count after Retry-After, and where that is no wait', () => {
    expect(waitOf({ 'ratelimit-reset': '7', 'retry-after': '3' })).toBe(3_000);
    expect(waitOf({ 'ratelimit-reset': '7', 'retry-after': 'soon' })).toBe(7_000);
    expect(waitOf({})).toBeUndefined();
  });

  it('count by the latest, and not where they name no time to come', () => {
    const reset = String(NOW / 1000 + 20);
    expect(waitOf({ 'ratelimit-reset': '0', 'x-ratelimit-reset': reset })).toBe(20_000);
    expect(waitOf({ 'ratelimit-reset': '30', 'x-ratelimit-reset': reset })).toBe(30_000);
    expect(waitOf({ 'ratelimit-reset': '0', 'x-ratelimit-reset': '1000000000' })).toBeUndefined();
  });
});

it.each([
  ['retry-after', 'Mon, 02 Mar 2026 10:00:10 GMT'],
  ['x-ratelimit-reset', String(Date.parse('2026-03-02T10:00:10Z') / 1000)],
  ['x-ratelimit-reset', '2026-03-02T10:00:10Z'],
])('a point in time is measured by the Date of the answer: %s of %s', (name, value) => {
  const date = 'Mon, 02 Mar 2026 10:00:00 GMT';
  expect(waitOf({ [name]: value, date })).toBe(10_000);
  expect(waitOf({ [name]: value, date: 'today' })).toBeGreaterThan(7_200_000);
});
