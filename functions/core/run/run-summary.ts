import type { CommitCounts } from '../commit/commit-context.ts';

/** The counts of one run. */
export interface RunSummary extends CommitCounts {
  /** True when another run holds the lease: this one did nothing. */
  leaseHeld: boolean;
  /** Set when the run ended because no refresh token was put yet, or it is refused. */
  token?: 'missing' | 'refused';
  /** Feeds of the shard at the end of the run. */
  feeds: number;
  /** Feeds that were polled, to the end of their list or not. */
  polled: number;
  /** Lists that wait at the end of the run: their last polls failed. */
  waiting: number;
  /** Set while service or network fail, and nothing is read; ISO 8601. */
  outageSince?: string;
  /** Lists that an operator has paused; absent for none. */
  paused?: number;
  /** True when the run stopped before it had polled everything that was due. */
  stoppedEarly: boolean;
}

export function emptySummary(): RunSummary {
  return {
    leaseHeld: false,
    feeds: 0,
    polled: 0,
    waiting: 0,
    pages: 0,
    entities: 0,
    events: { created: 0, updated: 0, deleted: 0, restored: 0 },
    quarantined: 0,
    stoppedEarly: false,
  };
}
