import fc from 'fast-check';
import { histories, type History } from './history.ts';
import type { CrashPoint } from './process.ts';
import { violationsOf } from './promises.ts';
import { simulate, type Outcome, type SimulationOptions } from './simulation.ts';

/** A history that breaks a promise. */
export interface Violation {
  /** What makes the history again: a seed, or a point of the fixed one at which a run died. */
  readonly origin: { readonly seed: number } | { readonly crashPoint: CrashPoint };
  /** What is broken by the shortest one. */
  readonly broken: readonly string[];
  /** The shortest history that still breaks one. */
  readonly history: History;
}

/** What exploring came to. */
export interface Exploration {
  histories: number;
  /** Changes made at the service. */
  operations: number;
  /** Calls made to fail, deaths, and standstills. */
  faults: number;
  readonly violations: Violation[];
}

/** An exploration that has not begun. */
export function newExploration(): Exploration {
  return { histories: 0, operations: 0, faults: 0, violations: [] };
}

/** How far exploring goes. */
export interface ExploreLimits {
  /** Stops after so many violations. Default 1. */
  readonly mostViolations?: number;
  /** Tries so many shorter histories of one that breaks a promise. Default 2,000. */
  readonly mostShrinks?: number;
}

/** What exploring may be told. */
export interface ExploreOptions extends ExploreLimits {
  /** Makes what each history runs on. */
  readonly simulation?: (history: History) => Promise<SimulationOptions>;
  /** Looks at each outcome besides, and says what is broken. */
  readonly inspect?: (outcome: Outcome, options: SimulationOptions) => Promise<string[]>;
}

/** Runs the history of each seed, and makes those that break a promise as short as it can. */
export async function explore(
  seeds: Iterable<number>,
  options: ExploreOptions = {},
): Promise<Exploration> {
  const found = newExploration();
  for (const seed of seeds) {
    const violation = await tryOne(seed, found, options);
    if (violation !== undefined) found.violations.push(violation);
    if (found.violations.length >= (options.mostViolations ?? 1)) break;
  }
  return found;
}

async function tryOne(
  seed: number,
  found: Exploration,
  options: ExploreOptions,
): Promise<Violation | undefined> {
  const { simulation, inspect, mostShrinks = 2_000 } = options;
  let tries = 0;
  let broken: string[] = [];
  const property = fc.asyncProperty(histories, async (history) => {
    tries += 1;
    if (tries > mostShrinks + 1) return true;
    const world = (await simulation?.(history)) ?? {};
    const outcome = await simulate(history, world);
    if (tries === 1) count(outcome, found);
    const violations = [...violationsOf(outcome), ...((await inspect?.(outcome, world)) ?? [])];
    if (violations.length > 0) broken = violations;
    return violations.length === 0;
  });
  const result = await fc.check(property, { seed, numRuns: 1, unbiased: true });
  const history = result.counterexample?.[0];
  return history && { origin: { seed }, broken, history };
}

/** Adds a history to what was explored. */
export function count({ history, faults }: Outcome, found: Exploration): void {
  found.histories += 1;
  found.operations += history.steps.filter(({ act }) => act.kind === 'change').length;
  found.faults += faults;
}
