import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allCrashes, RICH_HISTORY, tryCrashes } from './crash-points.ts';
import { describeViolation, explore } from './explore.ts';
import { histories } from './history/history.ts';
import { simulate } from './world/simulate.ts';

/** `npm run simulate -- --crash-points` simulates all. */
const STRIDE = 24;

describe('the notifier keeps its promises', { timeout: 600_000 }, () => {
  it('in 30 random histories', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const { violations } = await explore([seed]);
      expect(violations.map(describeViolation)).toEqual([]);
      // A simulation never waits, and Vitest has to be answered.
      await setImmediate();
    }
  });

  it('wherever a run dies: at every 24th call of a rich history', async () => {
    const crashes = allCrashes(await simulate(RICH_HISTORY)).filter((_, i) => i % STRIDE === 0);
    expect(crashes.length).toBeGreaterThan(8);
    const { violations } = await tryCrashes(crashes);
    expect(violations.map(describeViolation)).toEqual([]);
  });
});

it('goes the same way each time it is run from the same seed', async () => {
  for (const seed of [3, 4, 5]) {
    const [history] = fc.sample(histories, { seed, numRuns: 1 });
    if (history === undefined) throw new Error('no history');
    const [first, second] = [await simulate(history), await simulate(history)];
    const eventsOf = ({ trace }: typeof first) => trace.deliveries.map(({ event }) => event);
    expect(second.calls).toBe(first.calls);
    expect(eventsOf(second)).toEqual(eventsOf(first));
  }
});

it('has events of all kinds in its rich history', async () => {
  const { trace } = await simulate(RICH_HISTORY);
  const kinds = new Set(trace.deliveries.map(({ event }) => event.type));
  const actions = (entity: string, ...names: string[]) => names.map((name) => `${entity}.${name}`);
  expect([...kinds].sort()).toEqual([
    ...actions('floorplan', 'created', 'deleted', 'restored', 'updated'),
    ...actions('project', 'created', 'deleted', 'restored', 'updated'),
    'sheet.created',
    ...actions('template_check_item', 'created', 'deleted', 'restored', 'updated'),
    ...actions('template_checklist', 'created', 'deleted', 'updated'),
  ]);
  // The invalid entity is tried again.
  expect(trace.quarantined).toHaveLength(2);
  expect(trace.replays.deliveries.length).toBeGreaterThan(10);
});
