import type { Action } from '../model/change.ts';

/** The counts of one run. */
export interface RunSummary {
  /** True when another run holds the lease: this one did nothing. */
  readonly leaseHeld: boolean;
  /** Feeds of the shard at the end of the run. */
  readonly feeds: number;
  /** Feeds that were polled, to the end of their list or not. */
  readonly polled: number;
  /** Failed polls. */
  readonly failing: number;
  /** Feeds that were parked in this run. */
  readonly parked: number;
  readonly pages: number;
  /** Entities on those pages. */
  readonly entities: number;
  /** Events that the topic accepted. */
  readonly events: Readonly<Record<Action, number>>;
  /** Quarantined entities and events. */
  readonly quarantined: number;
  /** True when the run stopped before it had polled everything that was due. */
  readonly stoppedEarly: boolean;
}

/** A {@link RunSummary} that is being counted. */
export type SummaryBuilder = {
  -readonly [Field in keyof RunSummary]: Field extends 'events'
    ? Record<Action, number>
    : RunSummary[Field];
};

export function emptySummary(): SummaryBuilder {
  return {
    leaseHeld: false,
    feeds: 0,
    polled: 0,
    failing: 0,
    parked: 0,
    pages: 0,
    entities: 0,
    events: { created: 0, updated: 0, deleted: 0, restored: 0 },
    quarantined: 0,
    stoppedEarly: false,
  };
}
