import type { CommitOptions } from '../commit/commit-context.ts';
import type { FeedOptions } from '../feeds/load-feeds.ts';
import type { ListOptions } from '../lists/read-feed.ts';
import type { SchedulerOptions } from '../schedule/scheduler.ts';
import type { LeaseOptions } from './lease.ts';

/** Share of the request budget that polling leaves to long commands, while there are any. */
const COMMAND_REQUEST_SHARE = 0.1;

/**
 * With half of them for pages, one to look for a tie and two for proofs, a step asks for at least one entity. A tie that is
 * larger than a page takes four.
 */
const MIN_COMMAND_REQUESTS = 8;
/** Share of a small budget that polling leaves to long commands: eight of a dozen. */
const MAX_COMMAND_REQUEST_SHARE = 2 / 3;

/** Requests a minute that polling leaves to long commands, while there are any. */
export function commandRequests(perMinute: number): number {
  const wanted = Math.max(MIN_COMMAND_REQUESTS, Math.ceil(COMMAND_REQUEST_SHARE * perMinute));
  return Math.min(wanted, Math.floor(MAX_COMMAND_REQUEST_SHARE * perMinute));
}

/** Share of a run's time that polling leaves to long commands, while there are any. */
export const COMMAND_TIME_SHARE = 1 / 3;

/** Options of a run; from the operator's config. */
export interface RunOptions extends SchedulerOptions, FeedOptions, LeaseOptions, CommitOptions {
  readonly paging: ListOptions;
  /** Maximum number of feeds that are polled concurrently. */
  readonly concurrency: number;
  /** Maximum number of pages of one feed in a row while other feeds wait. */
  readonly pagesPerTurn: number;
  /** Share of a list's known entities that may be missing at once, from 0 to 1, see {@link reconcileWindow}. */
  readonly maxMissingShare: number;
  /** A run stops when only this much of its time remains, so that it can finish its pages. */
  readonly reserveMs: number;
  /** Time between the sweeps of a run, as far as budget and time allow. Absent: one sweep. */
  readonly pollEveryMs?: number;
}
