import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';

/** A run of the poller of one shard. */
export interface ObservedRun {
  /** Number of its tick. */
  readonly number: number;
  readonly shard: number;
}

/** Is told of all runs of a session. */
export interface RunObserver {
  runStarted(run: ObservedRun): void;
  /** @param outcome its summary, or why it failed. */
  runEnded(run: ObservedRun, outcome: RunSummary | string): void;
  /** Whether a person has killed a run that has not ended yet: that is no failure. */
  wasKilled(run: ObservedRun): boolean;
}
