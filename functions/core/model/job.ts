import type { EntityKey } from './entity-state.ts';
import type { Timestamp } from './timestamp.ts';

/**
 * The result of a job.
 *
 * - `done`: a replay has published all events.
 * - `compared`: a list was read whole, and the differences were published.
 * - `incomplete`: a list could not be read whole. Only entities with a 404 of their own were
 *   deleted.
 * - `stopped`: more of a list was missing at once than may be. Nothing was deleted.
 * - `skipped`: the list is not polled, or in its baseline.
 */
export type JobOutcome = 'done' | 'compared' | 'incomplete' | 'stopped' | 'skipped';

/** Counts of a job. Zeros are left out. */
export type JobCounts = Readonly<Partial<Record<JobCount, number>>>;
export type JobCount =
  /** Events that a replay has published, or a reconcile since polling had missed them. */
  | 'events'
  /** States whose event a replay cannot make again: its content was too large to keep. */
  | 'withoutContent'
  /** Entities that a reconcile has read. */
  | 'entities'
  /** Entities that their list did not show, and that the service has all the same. */
  | 'hidden'
  /** Entities that the service does not let us ask for (403). */
  | 'forbidden';

/** An operator's job for one list. It stands in the list's feed, with progress and result. */
export interface Job {
  readonly name: 'replay' | 'reconcile';
  /** Time and a random part. All lists of a command have the same. */
  readonly id: string;
  /** For a replay: events of this time and later are published again. */
  readonly since?: Timestamp;
  /** For a reconcile: whether any share of the list may be missing. */
  readonly force?: true;
  /** For a replay: the last state that is done. */
  readonly after?: EntityKey;
  /** For a reconcile: tries that ended before the list was done. */
  readonly tries?: number;
  /** Set if the end of a run cut the last try off: the next run opens with it. */
  readonly isCutOff?: true;
  readonly counts?: JobCounts;
  /** Absent until the job is over. */
  readonly outcome?: JobOutcome;
  /** Why a list is not compared, or skipped. */
  readonly cause?: string;
  readonly finishedAt?: Timestamp;
}

/** A job that is over. */
export type JobResult = Required<Pick<Job, 'outcome'>> & Pick<Job, 'counts' | 'cause'>;

/** Share of a run that goes to what comes first: polling, or a reconcile that was cut off. */
export const FIRST_SHARE = 2 / 3;

/** Whether a feed has a job that is not over. */
export function hasJob<F extends { readonly job?: Job }>(
  feed: F,
): feed is F & { readonly job: Job } {
  return feed.job !== undefined && feed.job.outcome === undefined;
}

export function sumCounts(all: readonly (JobCounts | undefined)[]): JobCounts {
  const sum: Partial<Record<JobCount, number>> = {};
  for (const counts of all) {
    for (const [name, count] of Object.entries(counts ?? {}) as [JobCount, number][]) {
      if (count > 0) sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return sum;
}
