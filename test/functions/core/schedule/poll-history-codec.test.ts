import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeRates } from '../../../../functions/core/schedule/change-rates.ts';
import { decode, encode } from '../../../../functions/core/schedule/poll-history-codec.ts';
import { PollHistory } from '../../../../functions/core/schedule/poll-history.ts';
import { feedOf } from '../../../support/samples.ts';

const NOW = Date.parse('2026-03-02T08:00:00.000Z');
const SECOND = 1000;
const HOUR = 3_600_000;

const idsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => feedOf({ projectId: `p${i}` }).id);
const ids = idsOf(50);
const [first = '', second = ''] = ids;

/** A history in which the feeds were polled this many seconds before now. */
function historyOf(ages: readonly number[], feedIds = ids): PollHistory {
  const polledAt = new Map(ages.map((age, i) => [feedIds[i] ?? '', NOW - age * SECOND]));
  return new PollHistory({ polledAt });
}

/** Changes one field of an encoded history. */
function withField(encoded: Uint8Array, field: string, value: unknown): Uint8Array {
  const history = JSON.parse(new TextDecoder().decode(encoded)) as object;
  return new TextEncoder().encode(JSON.stringify({ ...history, [field]: value }));
}

describe('an encoded poll history', () => {
  it('is decoded at any later time, for the feeds that exist then', () => {
    const anyAges = fc.array(fc.nat({ max: 86_400 }), { maxLength: ids.length });
    fc.assert(
      fc.property(anyAges, fc.nat({ max: 7 * 86_400 }), (ages, later) => {
        const encoded = encode(historyOf(ages), ids, NOW);
        const decoded = decode(encoded, [...ids.slice(1), 'another'], NOW + later * SECOND);
        const expected = ids.map((_, i) => NOW - (ages[i] ?? NaN) * SECOND || undefined);
        expect(ids.slice(1).map((id) => decoded.polledAt(id))).toEqual(expected.slice(1));
        expect(decoded.polledAt(first)).toBeUndefined();
        expect(decoded.polledAt('another')).toBeUndefined();
      }),
    );
  });

  it('keeps rates that fade', () => {
    const history = historyOf([5]);
    history.rates.record(7, 1000, HOUR);
    const encoded = encode(history, ids, NOW);
    expect(decode(encoded, ids, NOW).rates.observedMs[7]).toBe(HOUR);
    const late = decode(encoded, ids, NOW + HOUR);
    expect(late.rates.changes[7]).toBeGreaterThan(900);
    expect(late.rates.changes[7]).toBeLessThan(1000);
  });

  it('keeps which lists are unfinished, and since when', () => {
    const history = historyOf([5, 5]);
    history.recordPartial(first, NOW);
    const later = NOW + 90 * SECOND;
    const decoded = decode(encode(history, ids, later), ids, later);
    expect([first, second].map((id) => decoded.isUnfinished(id))).toEqual([true, false]);
    // Or its wait would begin anew in each run.
    expect(decoded.polledAt(first)).toBe(NOW);
  });

  it('is an empty history when it is missing, cut, of another format, or anything else', () => {
    const encoded = encode(historyOf([1, 2, 3]), ids, NOW);
    const broken = [
      undefined,
      new Uint8Array(),
      encoded.slice(0, -1),
      withField(encoded, 'format', 3),
      withField(encoded, 'changes', [1]),
      withField(encoded, 'polls', [[5, 'x']]),
      withField(encoded, 'savedAt', undefined),
      new TextEncoder().encode('null'),
    ];
    for (const bytes of broken) {
      const decoded = decode(bytes, ids, NOW);
      expect(ids.filter((id) => decoded.polledAt(id) !== undefined)).toEqual([]);
      expect(decoded.rates.rates()).toEqual(new ChangeRates().rates());
    }
    expect(decode(encoded, ids, NOW).polledAt(first)).toBe(NOW - SECOND);
  });

  it('keeps the note, however old it is; one that cannot be read is empty', () => {
    const outage = { since: NOW - HOUR, cause: '500' };
    const limited = { since: NOW - HOUR, until: NOW };
    const note = { api: 'some', outage, limited, token: 'refused' } as const;
    const encoded = encode(historyOf([1]), ids, NOW, note);
    expect(decode(encoded, ids, NOW).note).toEqual(note);
    expect(decode(encoded, [], NOW + HOUR).note).toEqual(note);
    for (const other of [undefined, '', null, [1], { outage: 1 }, { token: 'none' }]) {
      expect(decode(withField(encoded, 'note', other), ids, NOW).note).toEqual({});
    }
  });

  it('never fails, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(decode(bytes, ids, NOW).polledAt(first)).toBeUndefined();
      }),
    );
  });
});
