import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareTimestamps,
  earlierOf,
  laterOf,
  parseTimestamp,
  shiftNanoseconds,
  shiftTimestamp,
} from '../../../../functions/core/model/timestamp.ts';
import { timestamp } from '../../../support/arbitraries.ts';

/** A canonical timestamp of which some characters were changed. */
const nearlyCanonical = fc
  .tuple(
    timestamp,
    fc.array(fc.tuple(fc.nat(22), fc.constantFrom(...'0123456789-:.TZ x'.split(''))), {
      maxLength: 2,
    }),
  )
  .map(([text, changes]) =>
    changes.reduce((t, [at, char]) => t.slice(0, at) + char + t.slice(at + 1), text),
  );

describe('a timestamp', () => {
  it('means the same with Z as with an offset of nothing, which takes the general path', () => {
    fc.assert(
      fc.property(nearlyCanonical, (text) => {
        expect(parseTimestamp(text)).toBe(parseTimestamp(text.replace(/Z$/, '+00:00')));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['2026-03-02T08:00:00.123Z', '2026-03-02T08:00:00.123Z'],
    ['2026-03-02T08:00:00Z', '2026-03-02T08:00:00.000Z'],
    ['2026-03-02T08:00:00.5Z', '2026-03-02T08:00:00.500Z'],
    ['2026-03-02T08:00:00.123+00:00', '2026-03-02T08:00:00.123Z'],
    ['2026-03-02T08:00:00.123-0000', '2026-03-02T08:00:00.123Z'],
    ['2026-03-02T08:00:00.1002Z', '2026-03-02T08:00:00.1002Z'],
    ['0001-01-01T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-03-02T08:00:00.123456Z', '2026-03-02T08:00:00.123456Z'],
    ['2026-03-02T08:00:00.123000Z', '2026-03-02T08:00:00.123Z'],
  ])('%s is written as %s', (text, canonical) => {
    expect(parseTimestamp(text)).toBe(canonical);
  });

  it.each([
    undefined,
    null,
    5,
    '',
    'yesterday',
    '2026-03-02',
    '2026-03-02T08:00:00.123',
    '2026-03-02T08:00:00.123+02:00',
    '2026-13-02T08:00:00.123Z',
    '2026-02-30T08:00:00.123Z',
    '2026-03-02T24:00:00.000Z',
    '2026-03-02T08:00:00.Z',
    ' 2026-03-02T08:00:00.123Z',
    '2026-03-02T08:00:00.123Z, or so',
    '2026-03-022026-03-02T08:00:00.123Z',
    [['2026-03-02T08:00:00.123Z']],
    '2016-12-31T23:59:60.000Z',
    '10000-01-01T00:00:00.000Z',
  ])('does not accept %j', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('orders as time does, at any precision', () => {
    const digits = fc.stringMatching(/^[0-9]{0,9}$/);
    fc.assert(
      fc.property(digits, digits, (a, b) => {
        const [left, right] = [a, b].map((fraction) =>
          parseTimestamp(`2026-03-02T08:00:00${fraction && `.${fraction}`}Z`),
        );
        const order = Number(`0.${a}`) - Number(`0.${b}`);
        expect(Math.sign(compareTimestamps(left ?? '', right ?? ''))).toBe(Math.sign(order));
      }),
    );
  });

  it('is the later or the earlier of two; undefined counts as absent', () => {
    const [early, late] = ['2026-03-02T08:00:00.123Z', '2026-03-02T08:00:00.1231Z'];
    expect(laterOf(early, late)).toBe(late);
    expect(laterOf(late, early)).toBe(late);
    expect(earlierOf(early, late)).toBe(early);
    expect(earlierOf(late, early)).toBe(early);
    for (const either of [laterOf, earlierOf]) {
      expect(either(undefined, late)).toBe(late);
      expect(either(early, undefined)).toBe(early);
      expect(either(parseTimestamp(''), parseTimestamp(''))).toBeUndefined();
    }
  });

  it.each([
    ['08:00:00.123', 1, '08:00:00.123000001'],
    ['08:00:00.1235', -500_000, '08:00:00.123'],
    ['08:00:00.999999999', 1, '08:00:01.000'],
  ])('%s moves by %d ns to %s', (from, nanoseconds, to) => {
    expect(shiftNanoseconds(`9999-12-31T${from}Z`, nanoseconds)).toBe(`9999-12-31T${to}Z`);
  });

  it('moves by milliseconds, across a day', () => {
    expect(shiftTimestamp('2026-03-02T00:00:00.000Z', -1)).toBe('2026-03-01T23:59:59.999Z');
    expect(shiftTimestamp('2026-03-02T00:00:00.000Z', 60_000)).toBe('2026-03-02T00:01:00.000Z');
    expect(shiftTimestamp('9999-12-31T23:59:59.999Z', 1)).toBe('9999-12-31T23:59:59.999999999Z');
  });
});
