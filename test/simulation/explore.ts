import fc from 'fast-check';
import { countDimensions } from './dimensions.ts';
import { newExploration, type Exploration, type Violation } from './exploration.ts';
import { histories, type History } from './history/history.ts';
import { violationsOf } from './promises.ts';
import { simulate } from './simulation.ts';
import type { Outcome, SimulationOptions } from './world.ts';

/** Limits of exploring. */
export interface ExploreLimits {
  /** Stops after this many violations. Default 1. */
  readonly maxViolations?: number;
  /** Maximum number of shorter histories to try for a violation. Default 2,000. */
  readonly maxShrinks?: number;
  /** Names of the promises to judge by. Default: all. */
  readonly promises?: readonly string[];
}

export interface ExploreOptions extends ExploreLimits {
  /** Makes the environment of each history. */
  readonly simulation?: (history: History) => Promise<SimulationOptions>;
  /** Returns further violations of an outcome. */
  readonly inspect?: (outcome: Outcome, options: SimulationOptions) => Promise<string[]>;
}

/** Simulates the history of each seed, and shrinks those that break a promise. */
export async function explore(
  seeds: Iterable<number>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const found = newExploration();
  for (const seed of seeds) {
    const violation = await tryOne(seed, found, options);
    if (violation !== undefined) found.violations.push(violation);
    if (found.violations.length >= (options.maxViolations ?? 1)) break;
  }
  return found;
}

async function tryOne(
  seed: number,
  found: Exploration,
  options: ExploreOptions,
): Promise<Violation | undefined> {
  const { simulation, inspect, maxShrinks = 2_000, promises } = options;
  let tries = 0;
  let broken: string[] = [];
  const property = fc.asyncProperty(histories, async (history) => {
    tries += 1;
    if (tries > maxShrinks + 1) return true;
    const world = (await simulation?.(history)) ?? {};
    const outcome = await simulate(history, world);
    if (tries === 1) count(outcome, found);
    const violations = [
      ...violationsOf(outcome, promises),
      ...((await inspect?.(outcome, world)) ?? []),
    ];
    if (violations.length > 0) broken = violations;
    return violations.length === 0;
  });
  const result = await fc.check<[History]>(property, {
    seed,
    numRuns: 1,
    plugins: [fc.unbiased() as fc.Plugin<[History]>],
  });
  const history = result.counterexample?.[0];
  return history && { origin: { seed }, broken, history };
}

/** Counts a history. */
export function count({ history, faults }: Outcome, found: Exploration): void {
  found.histories += 1;
  found.operations += history.steps.filter(({ act }) => act.kind === 'change').length;
  found.faults += faults;
  countDimensions(history, found.dimensions);
}
