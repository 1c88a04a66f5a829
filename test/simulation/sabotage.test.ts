import { describe, expect, it, onTestFinished } from 'vitest';
import { exploreHistories } from './campaign.ts';
import { applySabotage } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';

/** As many as the code without faults runs in the same test run. */
const HISTORIES = 2_000;

describe('the simulation finds it when', () => {
  it.each(SABOTAGES)('$name', { timeout: 120_000 }, async (sabotage) => {
    const { worker, remove } = await applySabotage(sabotage);
    onTestFinished(remove);
    const limits = { maxShrinks: 0, maxViolations: 5 };
    const { firstSeed = 1 } = sabotage;
    const seeds = { firstSeed, histories: HISTORIES, limits };
    const found = await exploreHistories(seeds, { workers: 1, worker });
    const broken = found.violations.flatMap((violation) => violation.broken);
    expect(broken.map((each) => each.split(':')[0])).toEqual(
      expect.arrayContaining([expect.toBeOneOf([...sabotage.breaks])]),
    );
  });
});
