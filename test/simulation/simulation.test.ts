import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readState } from '../support/samples.ts';
import { exploreHistories } from './campaign.ts';
import { RICH_HISTORY } from './crash-points.ts';
import { explore } from './explore.ts';
import type { Act, Fault, Step } from './history/acts.ts';
import { histories } from './history/history.ts';
import { PROMISES, violationsOf } from './promises.ts';
import { describeViolation } from './report.ts';
import { applySabotage } from './sabotage.ts';
import { SABOTAGES } from './sabotages.ts';
import { simulate } from './simulation.ts';
import { withoutStacks } from './without-stacks.ts';

describe('the notifier keeps its promises', { timeout: 600_000 }, () => {
  it('in 30 random histories', async () => {
    const seeds = Array.from({ length: 30 }, (_, i) => 1 + i);
    // A simulation never waits, and Vitest has to be answered.
    const simulation = () => setImmediate({});
    const found = await withoutStacks(() => explore(seeds, { simulation }));
    expect(found.violations.map(describeViolation)).toEqual([]);
    expect(found.histories).toBe(30);
    expect(found.operations).toBeGreaterThan(300);
    expect(found.faults).toBeGreaterThan(20);
  });
});

describe('a run that is killed', () => {
  /** Calls that take seconds keep a run alive for most of a minute. */
  const slow: Fault[] = Array.from({ length: 8 }, (_, call) => ({
    port: 'api',
    call,
    how: 'slow',
  }));
  const tick = (faults: Fault[] = []): Act => ({ kind: 'tick', faults, againAfterMs: 0 });

  const seconds = Array.from({ length: 4 }, (_, i) => 1 + i * 10);

  it.each(seconds)(
    'after %d s is replaced within a minute, with a tick each minute',
    async (second) => {
      const kill: Step = { afterMs: second * 1000, act: { kind: 'kill' } };
      const steps: Step[] = [
        { afterMs: 0, act: tick(slow) },
        kill,
        { afterMs: 60_000 - kill.afterMs, act: tick() },
        { afterMs: 60_000, act: tick() },
      ];
      const notifier = { ...RICH_HISTORY.notifier, timeLimitMs: 55_000, concurrency: 1 };
      // A run with few requests has fewer calls.
      const limits = { ...RICH_HISTORY.limits, requestsPerRun: 1000 };
      const rich = { ...RICH_HISTORY, notifier, limits, floorplans: 40 };
      const { chronicle } = await simulate({ ...rich, steps });
      const [killed, ...after] = chronicle.runs;
      expect(killed?.died).toBe(true);
      const next = after.find(({ summary }) => summary?.leaseHeld === false);
      expect((next?.startedAt ?? Infinity) - (killed?.endedAt ?? 0)).toBeLessThanOrEqual(60_000);
    },
  );
});

describe('a simulation', () => {
  it('goes the same way each time it is run from the same seed', async () => {
    let deliveries = 0;
    for (const seed of [3, 4, 5, 6, 7]) {
      const [history] = fc.sample(histories, { seed, numRuns: 1 });
      if (history === undefined) throw new Error('no history');
      const [first, second] = [await simulate(history), await simulate(history)];
      expect(second.calls).toBe(first.calls);
      const [told, toldAgain] = [first, second].map(({ chronicle }) =>
        chronicle.deliveries.map(({ prior, ...delivery }) => [readState(prior), delivery]),
      );
      expect(toldAgain).toEqual(told);
      deliveries += first.chronicle.deliveries.length;
    }
    expect(deliveries).toBeGreaterThan(0);
  });

  it('that breaks a promise tells the seed and the shortest history that it could find', async () => {
    const leak = SABOTAGES.find(({ name }) => name === 'a baseline leaks');
    const { file: worker, remove } = await applySabotage(
      leak ?? { name: '', edits: [], breaks: [] },
    );
    onTestFinished(remove);
    // Shrinking the history of the first seed takes five times as long.
    const found = await exploreHistories({ firstSeed: 2, histories: 60 }, { workers: 1, worker });
    const [violation] = found.violations;
    if (violation === undefined) throw new Error('the leak was not found');
    expect(violation.history.steps.length).toBeLessThanOrEqual(2);
    expect(describeViolation(violation)).toMatch(
      /^Seed \d+ breaks .*npm run simulate -- --seed \d+\n {2}nothingOfTheBaselineLeaks: /,
    );
    // The same history, in code without the fault.
    expect(violationsOf(await simulate(violation.history))).toEqual([]);
  });

  it('judges by promises that each have a sentence for a name', () => {
    expect(new Set(PROMISES.map(({ name }) => name)).size).toBe(PROMISES.length);
    for (const { name } of PROMISES) expect(name).toMatch(/^[a-z]+([A-Z][a-z]*){4,}$/);
  });
});
