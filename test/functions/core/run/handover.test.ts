import { describe, expect, it } from 'vitest';
import { decodeHandover, encodeHandover } from '../../../../functions/core/run/handover.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

describe('what a run hands over', () => {
  it('is what the next run reads', () => {
    const outage = { since: NOW - HOUR, retryAt: NOW + HOUR };
    const knownDate = { date: '2026-03-02T08:00:00.000Z', at: NOW };
    const handover = {
      ...{ api: 'some', outage, recoveredAt: NOW, failuresInARow: 3, knownDate },
      limited: { a: 1 },
    };
    expect(decodeHandover(encodeHandover(handover), NOW)).toEqual(handover);
  });

  it('by a clock that was hours ahead neither silences the next run nor wakes feeds for ever', () => {
    const outage = { since: NOW + 5 * HOUR, retryAt: NOW + 5 * HOUR };
    const knownDate = { date: '2026-03-02T08:00:00.000Z', at: NOW + 5 * HOUR };
    const note = encodeHandover({ outage, recoveredAt: NOW + 5 * HOUR, knownDate });
    expect(decodeHandover(note, NOW)).toEqual({
      outage: { since: NOW, retryAt: NOW },
      recoveredAt: NOW,
      knownDate: { ...knownDate, at: NOW },
    });
  });

  it.each([
    ...[undefined, '', 'null', '[1]', '{"outage":1}'],
    '{"knownDate":{"date":"today","at":0}}',
  ])('%j is nothing', (note) => {
    expect(decodeHandover(note, NOW)).toEqual({});
  });
});
