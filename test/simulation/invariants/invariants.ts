import type { Outcome } from '../world/world.ts';
import * as baseline from './baseline-invariants.ts';
import * as events from './event-invariants.ts';
import * as jobs from './job-invariants.ts';
import * as runs from './run-invariants.ts';

/** Judges an outcome: yields a sentence for each breach. */
type Invariant = (outcome: Outcome) => Iterable<string>;

/** The invariants by name. */
export const INVARIANTS: Readonly<Record<string, Invariant>> = {
  ...events,
  ...baseline,
  ...jobs,
  ...runs,
};

/** The violation of an outcome. */
export function violationsOf(outcome: Outcome): string[] {
  return Object.entries(INVARIANTS).flatMap(([name, invariant]) =>
    [...invariant(outcome)].map((violation) => `${name}: ${violation}`),
  );
}
