import type { Action } from './change.ts';
import type { Timestamp } from './timestamp.ts';

/** What a reconciliation has found so far. */
export type ReconcileCounts = Readonly<Record<ReconcileCount, number>>;

/** What is counted. `created`, `updated`, `deleted` and `restored` are healed: polling had missed them. */
export type ReconcileCount =
  | Action
  /** Lists that were read whole and compared. */
  | 'read'
  /** Lists without a verdict: they could not be read, or the service did not answer for their entities. */
  | 'failed'
  /** Lists of which more was missing at once than may be. */
  | 'stopped'
  /** Lists that are paused, parked, in their baseline, not configured or not selected. */
  | 'skipped'
  /** Entities that were compared. */
  | 'entities'
  /** Missing entities that the service does not let us ask for (403). */
  | 'forbidden'
  /** Missing entities that are there all the same: their list was wrong, or they moved meanwhile. */
  | 'listWrong'
  /** Missing entities for which the service gave no usable answer. */
  | 'unanswered'
  /** Missing entities that changed within the lookback: a copy may lag, so the next time judges them. */
  | 'tooRecent'
  | 'pages'
  /** Requests for pages and entities, without their repeats. */
  | 'requests';

/** A list that was not reconciled, and why. */
export interface ListProblem {
  readonly list: string;
  readonly outcome: 'failed' | 'stopped';
  readonly cause: string;
}

/** What came of a reconciliation in a partition of feeds. It is kept until the next one. */
export interface ReconcileReport {
  readonly partition: number;
  /** Of the command. */
  readonly commandId: string;
  readonly finishedAt: Timestamp;
  readonly counts: ReconcileCounts;
  readonly problems: readonly ListProblem[];
}

/** The most lists that a partition's report names. */
const MAX_PROBLEMS = 20;
const MAX_CAUSE_LENGTH = 300;

/** Counts of zero. */
export function noCounts(): Record<ReconcileCount, number> {
  return {
    ...{ read: 0, failed: 0, stopped: 0, skipped: 0, entities: 0 },
    ...{ created: 0, updated: 0, deleted: 0, restored: 0 },
    ...{ forbidden: 0, listWrong: 0, unanswered: 0, tooRecent: 0, pages: 0, requests: 0 },
  };
}

/** The sum of two counts. */
export function sumCounts(a: ReconcileCounts, b: ReconcileCounts): ReconcileCounts {
  const names = Object.keys(noCounts()) as ReconcileCount[];
  return Object.fromEntries(
    names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)]),
  ) as ReconcileCounts;
}

/** Events that healed something. */
export function healedCount({ created, updated, deleted, restored }: ReconcileCounts): number {
  return created + updated + deleted + restored;
}

/** The problems with one more, if there is room: they are part of an item of the table. */
export function withProblem(
  problems: readonly ListProblem[],
  { cause, ...problem }: ListProblem,
): readonly ListProblem[] {
  if (problems.length >= MAX_PROBLEMS) return problems;
  return [...problems, { ...problem, cause: cause.slice(0, MAX_CAUSE_LENGTH) }];
}
