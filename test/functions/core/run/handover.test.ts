import { describe, expect, it } from 'vitest';
import { decodeHandover } from '../../../../functions/core/run/handover.ts';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;

describe('what a run hands over', () => {
  it('is what the next run reads', () => {
    const outage = { since: NOW - HOUR, cause: '500' };
    const handover = { api: 'some', outage };
    expect(decodeHandover(handover, NOW)).toEqual(handover);
  });

  it('by a clock that was hours ahead is of now', () => {
    const later = NOW + 5 * HOUR;
    const outage = { since: later, cause: '500' };
    const note = { outage };
    expect(decodeHandover(note, NOW)).toEqual({
      outage: { since: NOW, cause: '500' },
    });
  });

  it.each([undefined, '', null, [1], { outage: 1 }])('%j is nothing', (note) => {
    expect(decodeHandover(note, NOW)).toEqual({});
  });
});
