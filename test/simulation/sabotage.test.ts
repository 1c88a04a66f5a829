import { describe, expect, it, onTestFinished } from 'vitest';
import { exploreHistories } from './campaign.ts';
import { applySabotage } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

/** As many as the code without faults runs in the same test run. */
const HISTORIES = 2_000;

describe('the simulation finds it when', () => {
  it.each(SABOTAGES)('$name', { timeout: 600_000 }, async (sabotage) => {
    const { worker, remove } = await applySabotage(sabotage);
    onTestFinished(remove);
    const limits = { maxShrinks: 0, promises: sabotage.breaks };
    const { firstSeed = 1 } = sabotage;
    const seeds = { firstSeed, histories: HISTORIES, limits };
    const found = await exploreHistories(seeds, { workers: 1, worker });
    expect(found.violations).toHaveLength(1);
  });
});
