import type { CommitOptions } from '../commit/commit-context.ts';
import type { FeedOptions } from '../feeds/load-feeds.ts';
import type { ListOptions } from '../lists/read-feed.ts';
import type { SchedulerOptions } from '../schedule/scheduler.ts';

/** Options of a run; from the operator's config. */
export interface RunOptions extends SchedulerOptions, FeedOptions, CommitOptions {
  /** Names the run. */
  readonly runId: string;
  /** Time until the run is killed. */
  readonly remainingMs: () => number;
  readonly paging: ListOptions;
  /** Maximum number of feeds that are polled concurrently. */
  readonly concurrency: number;
  /** Maximum number of pages of one feed in a row while other feeds wait. */
  readonly pagesPerTurn: number;
  /** Share of a list's known entities, from 0 to 1. If more are missing, a reconcile stops. */
  readonly maxMissingShare: number;
  /** A run stops when only this much of its time remains, so that it can finish its pages. */
  readonly reserveMs: number;
  /** Time between the sweeps of a run, as far as budget and time allow. Absent: one sweep. */
  readonly pollEveryMs?: number;
}
