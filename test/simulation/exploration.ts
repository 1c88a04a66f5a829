import type { DimensionCounts } from './dimensions.ts';
import type { History } from './history/history.ts';
import type { CrashPoint } from './process.ts';

/** A history that breaks a promise. */
export interface Violation {
  /** The seed of the history, or the crash point in the rich one. */
  readonly origin: { readonly seed: number } | { readonly crashPoint: CrashPoint };
  /** The promises that the shortest history breaks. */
  readonly broken: readonly string[];
  /** The shortest history that still breaks a promise. */
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
  readonly dimensions: DimensionCounts;
}

/** The result before anything is explored. */
export function newExploration(): Exploration {
  return { histories: 0, operations: 0, faults: 0, violations: [], dimensions: {} };
}
