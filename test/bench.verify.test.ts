import { describe, expect, it } from 'vitest';
import { BENCHES, measureApart } from './tools/bench/benches.ts';
import { figureTable, GOALS } from './tools/bench/figures.ts';

// Time is never asserted: it says something on an idle machine alone.
describe('npm run bench', () => {
  it('yields each figure that has a goal, and prints it', async () => {
    let figures = {};
    for (const name of Object.keys(BENCHES)) {
      figures = { ...figures, ...(await measureApart(name, 'tiny')) };
    }
    expect(Object.keys(figures)).toEqual(Object.keys(GOALS));
    expect(figureTable(figures).split('\n')).toHaveLength(Object.keys(GOALS).length + 2);
  });

  it('meets the goals of calls and units', async () => {
    const { idleCalls, idleReadUnits, idleWriteUnits } = await measureApart('idle');
    expect(idleCalls).toBeLessThanOrEqual(GOALS.idleCalls.goal);
    expect(idleReadUnits).toBeLessThanOrEqual(GOALS.idleReadUnits.goal);
    expect(idleWriteUnits).toBeLessThanOrEqual(GOALS.idleWriteUnits.goal);
  });
});
