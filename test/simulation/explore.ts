import fc from 'fast-check';
import { histories, type History } from './history/history.ts';
import { violationsOf } from './invariants/invariants.ts';
import type { CrashPoint } from './world/process.ts';
import { simulate } from './world/simulate.ts';
import type { Outcome } from './world/world.ts';

/** A history that violates an invariant. */
export interface Violation {
  /** The seed of the history, or the crash point in the rich one. */
  readonly origin: { readonly seed: number } | { readonly crashPoint: CrashPoint };
  /** The violation of the shortest history. */
  readonly broken: readonly string[];
  /** The shortest history that was found to violate an invariant. */
  readonly history: History;
}

/** The result of exploring. */
export interface Exploration {
  histories: number;
  /** Changes made at the service. */
  operations: number;
  /** Failed calls, kills and pauses. */
  faults: number;
  readonly violations: Violation[];
}

/** The result before anything is explored. */
export function newExploration(): Exploration {
  return { histories: 0, operations: 0, faults: 0, violations: [] };
}

/** Limits of exploring. */
export interface ExploreLimits {
  /** Stops after this many violations. Default 1. */
  readonly maxViolations?: number;
  /** Maximum number of shorter histories to try for a violation. Default 2,000. */
  readonly maxShrinks?: number;
}

/** Simulates the history of each seed, and shrinks those that violate an invariant. */
export async function explore(
  seeds: Iterable<number>,
  { maxViolations = 1, maxShrinks = 2_000 }: ExploreLimits = {},
): Promise<Exploration> {
  const found = newExploration();
  for (const seed of seeds) {
    const violation = await tryOne(seed, found, maxShrinks);
    if (violation !== undefined) found.violations.push(violation);
    if (found.violations.length >= maxViolations) break;
  }
  return found;
}

async function tryOne(
  seed: number,
  found: Exploration,
  maxShrinks: number,
): Promise<Violation | undefined> {
  let tries = 0;
  let broken: string[] = [];
  const property = fc.asyncProperty(histories, async (history) => {
    tries += 1;
    if (tries > maxShrinks + 1) return true;
    const outcome = await simulate(history);
    if (tries === 1) count(outcome, found);
    const violations = violationsOf(outcome);
    if (violations.length > 0) broken = violations;
    return violations.length === 0;
  });
  const result = await fc.check<[History]>(property, {
    seed,
    numRuns: 1,
    plugins: [fc.unbiased() as fc.Plugin<[History]>],
  });
  const history = result.counterexample?.[0];
  // The simulation itself failed, or its callee.
  const { errorInstance } = result;
  if (broken.length === 0 && errorInstance instanceof Error)
    broken = [errorInstance.stack ?? errorInstance.message];
  return history && { origin: { seed }, broken, history };
}

/** Counts a history. */
export function count({ history, faults }: Outcome, found: Exploration): void {
  found.histories += 1;
  found.operations += history.steps.filter(({ act }) => act.kind === 'change').length;
  found.faults += faults;
}

/** Describes a violation: the command to run it again, the invariant, and the shortest history. */
export function describeViolation({ origin, broken, history }: Violation): string {
  const { steps, ...world } = history;
  return [
    'seed' in origin
      ? `Seed ${origin.seed} violates an invariant; run it again with: npm run simulate -- --seed ${origin.seed}`
      : `To die ${origin.crashPoint.when} call ${origin.crashPoint.call} violates an invariant`,
    ...broken.map((each) => `  ${each}`),
    'The shortest history that was found:',
    `  ${JSON.stringify(world)}`,
    ...steps.map(({ afterMs, act }) => `  after ${afterMs} ms: ${JSON.stringify(act)}`),
  ].join('\n');
}
