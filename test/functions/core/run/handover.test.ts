import { describe, expect, it } from 'vitest';
import { decodeHandover } from '../../../../functions/core/run/handover.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

describe('what a run hands over', () => {
  it('is what the next run reads', () => {
    const outage = { since: NOW - HOUR, cause: '500' };
    const knownDate = { date: '2026-03-02T08:00:00.000Z', at: NOW, undated: 7 };
    const handover = { api: 'some', outage, knownDate };
    expect(decodeHandover(handover, NOW)).toEqual(handover);
  });

  it('by a clock that was hours ahead is of now', () => {
    const later = NOW + 5 * HOUR;
    const outage = { since: later, cause: '500' };
    const knownDate = { date: '2026-03-02T08:00:00.000Z', at: NOW + 5 * HOUR, undated: 0 };
    const note = { outage, knownDate };
    expect(decodeHandover(note, NOW)).toEqual({
      outage: { since: NOW, cause: '500' },
      knownDate: { ...knownDate, at: NOW },
    });
  });

  it.each([...[undefined, '', null, [1], { outage: 1 }], { knownDate: { date: 'today', at: 0 } }])(
    '%j is nothing',
    (note) => {
      expect(decodeHandover(note, NOW)).toEqual({});
    },
  );
});
