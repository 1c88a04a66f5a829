import type { Exploration, Violation } from './explore.ts';

/** A violation for a reader: how to see it again, what is broken, and the shortest way there. */
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

/** What a campaign came to, as one JSON object. */
export function summaryOf(found: Exploration, seconds: number): object {
  const { histories, operations, faults, violations } = found;
  return { histories, operations, faults, violations: violations.length, seconds };
}
