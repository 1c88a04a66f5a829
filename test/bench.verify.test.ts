import { describe, expect, it } from 'vitest';
import { BENCHES, measureApart } from './tools/bench/benches.ts';
import { figureTable, GOALS } from './tools/bench/figures.ts';
import { bytesOf, readUnits, writeUnits } from './tools/bench/fixture/units.ts';

// Time is never asserted: it says something on an idle machine alone.
describe('npm run bench', () => {
  it('yields each figure that has a goal, and prints it', async () => {
    let figures = {};
    for (const name of Object.keys(BENCHES)) {
      figures = { ...figures, ...(await measureApart(name, 'tiny')) };
    }
    expect(Object.keys(figures)).toEqual(Object.keys(GOALS));
    expect(figureTable(figures).split('\n')).toHaveLength(Object.keys(GOALS).length + 1);
  });

  it('meets the goals of calls and units', async () => {
    const { idleCalls, idleReadUnits, idleWriteUnits } = await measureApart('idle');
    expect(idleCalls).toBeLessThanOrEqual(GOALS.idleCalls.goal);
    expect(idleReadUnits).toBeLessThanOrEqual(GOALS.idleReadUnits.goal);
    expect(idleWriteUnits).toBeLessThanOrEqual(GOALS.idleWriteUnits.goal);
  });

  it('computes units from sizes as the developer guide says', () => {
    const item = {
      ...{ pk: { S: 'ä' }, n: { N: '1500' }, b: { BOOL: true } },
      x: { B: new Uint8Array(9) },
    };
    expect(bytesOf(item)).toBe(2 + 2 + 1 + 2 + 1 + 1 + 1 + 9);
    expect(writeUnits({ s: { S: 'x'.repeat(1023) } })).toBe(1);
    expect(writeUnits({ s: { S: 'x'.repeat(1024) } })).toBe(2);
    expect([readUnits(0, true), readUnits(4096, true), readUnits(4097, true)]).toEqual([1, 1, 2]);
  });
});
