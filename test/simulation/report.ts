import type { Exploration, Violation } from './exploration.ts';

/** Describes a violation: how to run it again, the broken promises, and the shortest history. */
export function describeViolation({ origin, broken, history }: Violation): string {
  const { steps, ...world } = history;
  return [
    'seed' in origin
      ? `Seed ${origin.seed} breaks a promise; run it again with: npm run simulate -- --seed ${origin.seed}`
      : `To die ${origin.crashPoint.when} call ${origin.crashPoint.call} breaks a promise`,
    ...broken.map((each) => `  ${each}`),
    'The shortest history that was found to break it:',
    `  ${JSON.stringify(world)}`,
    ...steps.map(({ afterMs, act }) => `  after ${afterMs} ms: ${JSON.stringify(act)}`),
  ].join('\n');
}

/** The summary of a campaign, as one JSON object. */
export function summaryOf(found: Exploration, seconds: number): object {
  const { histories, operations, faults, violations } = found;
  return { histories, operations, faults, violations: violations.length, seconds };
}
