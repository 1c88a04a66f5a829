import type { Job, JobCounts, JobOutcome } from '../core/model/job.ts';
import type { Scope } from '../core/model/scope.ts';
import type { Timestamp } from '../core/model/timestamp.ts';
import type { QuarantineAnswer, QuarantineRequest } from './quarantine/quarantine-protocol.ts';
import type { WebhookRequest, WebhookRequestAnswer } from './webhooks/webhook-protocol.ts';

export type * from './quarantine/quarantine-protocol.ts';
export type * from './webhooks/webhook-protocol.ts';

/** Which lists a status tells one by one. */
export interface StatusRequest {
  readonly command: 'status';
  readonly scope?: Scope;
  /** Only lists in this state. */
  readonly state?: ListState;
  /** Default: by name. */
  readonly sort?: ListOrder;
  /** The most lists to tell; 0 for none. Default: as many as fit an answer. */
  readonly limit?: number;
  /** Only lists whose name comes after this one: the last one of the page before. */
  readonly after?: string;
}

/** The orders in which lists are told: what needs a look comes first. */
export type ListOrder = 'failures' | 'lag' | 'last-change' | 'name';

/**
 * Where a list stands. `waiting`: its last polls failed · `parked`: its project is deleted · `not polled`: it is not configured
 * or not selected.
 */
export type ListState = 'live' | 'baseline' | 'waiting' | 'paused' | 'parked' | 'not polled';

/**
 * What is asked of the control function. Times are ISO 8601. With `dryRun` nothing changes: the answer tells
 * what would be concerned.
 */
export type ControlRequest = StatusRequest | QuarantineRequest | ChangeRequest | WebhookRequest;

/** Lists are changed at once. `replay` and `reconcile` give each a job, which takes one run or more. */
export type ChangeRequest = {
  readonly scope: Scope;
  readonly dryRun?: boolean;
  /** The key with which the answer before said that there is more to change. */
  readonly after?: string;
} &
  /** `retry` ends the wait of lists, `cancel` their jobs. */
  (
    | { readonly command: 'pause' | 'resume' | 'retry' | 'cancel' }
    /** Lists are read again from this time on. */
    | { readonly command: 'rewind'; readonly to: Timestamp }
    /** The last event of each entity that had one since is published again. `id`: of the answer before. */
    | { readonly command: 'replay'; readonly since: Timestamp; readonly id?: string }
    /** `force`: also where more of a list is missing than config allows. `id`: of the answer before. */
    | { readonly command: 'reconcile'; readonly force?: true; readonly id?: string }
  );

/** Where the jobs of one command stand. */
export interface JobsStatus {
  readonly id: string;
  readonly command: Job['name'];
  readonly startedAt: Timestamp;
  /** Lists that have a job of the command. */
  readonly lists: number;
  /** Those of them that are not done. */
  readonly waiting: number;
  /** The others, by what their jobs came to. */
  readonly outcomes: Readonly<Partial<Record<JobOutcome, number>>>;
  readonly counts: JobCounts;
  /** Lists that were not compared, and why; not all, if there are many. */
  readonly problems: readonly JobProblem[];
}

export interface JobProblem {
  readonly list: string;
  readonly outcome: JobOutcome;
  readonly cause: string;
}

/** Where a list stands. Times are ISO 8601. */
export interface ListStatus {
  /** Its path without the leading slash. */
  readonly list: string;
  readonly projectId?: string;
  /** Absent when it is no longer configured. */
  readonly resource?: string;
  readonly state: ListState;
  /** The `last_synced_at` of the next poll; absent before the first page. */
  readonly cursor?: Timestamp;
  /** Start of the last poll, to the second; absent when unknown. */
  readonly lastPollAt?: Timestamp;
  /** When the last change was seen. */
  readonly lastChangeAt?: Timestamp;
  /** Time since the last poll: no change is unseen for longer. */
  readonly lagSeconds?: number;
  /** As many entities changed at this time as the largest page holds: some may be unseen. */
  readonly saturatedAt?: Timestamp;
  /** Failed polls in a row, if any. */
  readonly failures?: number;
  readonly failingSince?: Timestamp;
  /** The last failure, cut. */
  readonly cause?: string;
  /** It is not polled before. Absent: with the next run that has requests left for it. */
  readonly nextPollAt?: Timestamp;
  /** The job that it has, or its last one. */
  readonly job?: Job;
}

export interface StatusAnswer {
  readonly command: 'status';
  /** As the table has it: the number of pollers. */
  readonly shards: number;
  /** Of the whole account; lists by state. */
  readonly totals: {
    readonly lists: number;
    readonly byState: Readonly<Record<ListState, number>>;
  };
  /** Set while all lists are paused. */
  readonly isAllPaused?: true;
  /** Entities and events in the quarantine. Absent for none. */
  readonly quarantinedCount?: number;
  /** Entries of the field `projects` that select none, or only deleted ones. Absent for none. */
  readonly unmatchedProjects?: readonly string[];
  /** Set if the last run that needed the refresh token polled nothing: none was put, or the service refused it. */
  readonly token?: 'missing' | 'refused';
  /** Set while service or network fail, and nothing is read. */
  readonly outageSince?: Timestamp;
  /** The last failure of a list in that time, cut. */
  readonly outageCause?: string;
  /** Set while requests are fewer than `requestsPerMinute`, since the service has answered with 429. */
  readonly limited?: { readonly since: Timestamp; readonly until: Timestamp };
  /** Whether a run is under way, by shard. */
  readonly runs: readonly { readonly shard: number; readonly isRunning: boolean }[];
  /** The number of lists that were asked for, whether they are told here or not. */
  readonly matchCount: number;
  /** The first of them: as many as the limit, and as fit an answer. */
  readonly lists: readonly ListStatus[];
  /** Those that go on, and the last of each command. */
  readonly jobs: readonly JobsStatus[];
}

/** The number of lists, and some of their names. */
export interface SomeLists {
  readonly listCount: number;
  readonly examples: readonly string[];
}

/** Lists were changed, or with `dryRun` would be. */
export interface ChangedAnswer extends SomeLists {
  readonly command: ChangeRequest['command'];
  /** Lists that this request has changed, or found as they are to be; absent with `dryRun`. */
  readonly changedCount?: number;
  /** Ask again with this key as `after`: there are more lists. Absent: all are changed. */
  readonly next?: string;
  /** Of jobs: their command's. Absent with `dryRun`. */
  readonly id?: string;
  /** Lists that had a job before, which is not over. */
  readonly jobCount: number;
  /** Lists that were paused by themselves before. */
  readonly pausedCount: number;
  /** Lists of deleted projects, which are read rarely. */
  readonly deletedCount: number;
  /** Set while all lists are paused: resume all to have any polled. */
  readonly isAllPaused?: true;
}

/** The request was refused; nothing was changed. */
export interface RefusedAnswer {
  readonly error: {
    /** Name of the error: `UnknownListError`, `TableFormatError` … */
    readonly name: string;
    readonly message: string;
    readonly hint: string;
  };
}

export type ControlAnswer =
  | StatusAnswer
  | QuarantineAnswer
  | ChangedAnswer
  | WebhookRequestAnswer
  | RefusedAnswer;
