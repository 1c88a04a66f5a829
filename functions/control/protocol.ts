import type { Scope } from '../core/model/command.ts';
import type { ListProblem, ReconcileCounts } from '../core/model/reconcile-report.ts';
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
export type ControlRequest =
  | StatusRequest
  | QuarantineRequest
  | ChangeRequest
  | OrderRequest
  | CancelRequest
  | WebhookRequest;

/** A command that is not carried out yet, or not wholly, is taken back. What it has done stays. */
export interface CancelRequest {
  readonly command: 'cancel';
  /** Absent: the only one there is. */
  readonly id?: string;
  readonly dryRun?: boolean;
}

/** Lists are changed at once. */
export type ChangeRequest = {
  readonly scope: Scope;
  readonly dryRun?: boolean;
  /** The key with which the answer before said that there is more to change. */
  readonly after?: string;
} & (
  | { readonly command: 'pause' | 'resume' | 'retry' }
  /** Lists are read again from this time on. */
  | { readonly command: 'rewind'; readonly to: Timestamp }
);

/** A request that is carried out by the owners of lists, in many runs. */
export type OrderRequest =
  | {
      readonly command: 'reconcile';
      readonly scope: Scope;
      /** Also where more of a list is missing than config allows. */
      readonly force?: boolean;
      readonly dryRun?: boolean;
    }
  /** The events of entities whose last change lies in this time are told again. Default of `until`: now. */
  | {
      readonly command: 'replay';
      readonly scope: Scope;
      readonly since: Timestamp;
      readonly until?: Timestamp;
      readonly dryRun?: boolean;
    };

/** Where a reconciliation stands, or what came of the last one. */
export interface ReconcileStatus {
  /** Of its command. */
  readonly id: string;
  readonly startedAt: Timestamp;
  /** Absent while it is under way. */
  readonly finishedAt?: Timestamp;
  readonly counts: ReconcileCounts;
  /** Events that it published: polling had missed what they tell. */
  readonly healed: number;
  /** Lists that were not reconciled, and why; not all, if there are many. */
  readonly problems: readonly ListProblem[];
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
}

/** A command that is not carried out yet. */
export interface CommandStatus {
  readonly id: string;
  readonly command: string;
  readonly scope: Scope;
  readonly placedAt: Timestamp;
  /** Partitions of lists in which it is still to be carried out, of 16. */
  readonly partitions: number;
  /** Of a command that goes on over many runs. */
  readonly progress?: {
    /** Lists that are still to be worked. */
    readonly listsLeft: number;
    /** What was done in those partitions, by kind: `lists`, `events` … */
    readonly counts: Readonly<Record<string, number>>;
  };
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
  readonly commands: readonly CommandStatus[];
  /** Absent if there never was one. */
  readonly reconciliation?: ReconcileStatus;
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
  /** Lists that were paused by themselves before. */
  readonly pausedCount: number;
  /** Lists of deleted projects, which are read rarely. */
  readonly deletedCount: number;
  /** Set while all lists are paused: resume all to have any polled. */
  readonly isAllPaused?: true;
}

/** A command was placed, or with `dryRun` would be: for lists that are there now. */
export interface PlacedAnswer extends SomeLists {
  readonly command: OrderRequest['command'];
  /** Id of the command; absent with `dryRun`. */
  readonly id?: string;
  /** Of `replay` with `dryRun`. */
  readonly counted?: CountedEvents;
}

/** Events that a replay would tell, but for those whose content was too large to keep. */
export interface CountedEvents {
  readonly eventCount: number;
  /** Lists that were counted to their end: all of them, unless that takes more than ten seconds. */
  readonly listCount: number;
}

/** A command was taken back, or with `dryRun` would be. */
export interface CancelAnswer {
  readonly command: 'cancel';
  readonly cancelled: CommandStatus;
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
  | PlacedAnswer
  | CancelAnswer
  | WebhookRequestAnswer
  | RefusedAnswer;
