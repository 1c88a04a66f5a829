import type { Job, JobCounts, JobOutcome } from '../core/model/job.ts';
import type { Timestamp } from '../core/model/timestamp.ts';
import type { WebhookAttempt } from '../deliver/ports.ts';
import type { ChangeRequest, ListState } from './requests.ts';

export type * from './requests.ts';

/**
 * What the control function answers, as JSON: absent fields are left out. Times are ISO 8601. What
 * it is asked for is in requests.ts.
 */
export type ControlAnswer =
  | StatusAnswer
  | ChangedAnswer
  | QuarantineAnswer
  | WebhookRequestAnswer
  | RefusedAnswer;

/** The request was refused; nothing was changed. */
export interface RefusedAnswer {
  readonly error: {
    /** `RequestRefusedError`, `TableFormatError`. */
    readonly name: string;
    readonly message: string;
    readonly hint: string;
  };
}

export interface StatusAnswer {
  readonly command: 'status';
  /** The number of pollers. */
  readonly shards: number;
  /** Counts of the whole account; lists by state. */
  readonly totals: {
    readonly lists: number;
    readonly byState: Readonly<Record<ListState, number>>;
  };
  /** Set while all lists are paused. */
  readonly isAllPaused?: true | undefined;
  /** Entities and events in the quarantine. Absent for none. */
  readonly quarantinedCount?: number | undefined;
  /** Entries of the field `projects` that select none, or only deleted ones. Absent for none. */
  readonly unmatchedProjects?: readonly string[] | undefined;
  /** Set if the last run that needed the refresh token polled nothing, and why. */
  readonly token?: 'missing' | 'refused' | undefined;
  /** Set while service or network fail, and nothing is read. */
  readonly outageSince?: Timestamp | undefined;
  /** The last failure of a list in that time, cut. */
  readonly outageCause?: string | undefined;
  /** Set while requests are fewer than `requestsPerMinute`, since the service answered 429. */
  readonly limited?: { readonly since: Timestamp; readonly until: Timestamp } | undefined;
  /** By shard. */
  readonly runs: readonly RunStatus[];
  /** Webhooks that are disabled or failing. Absent for none. */
  readonly webhooks?: readonly WebhookHealth[] | undefined;
  /** The number of lists that were asked for, whether they are in the answer or not. */
  readonly matchCount: number;
  /** The first of them: as many as the limit, and as fit an answer. */
  readonly lists: readonly ListStatus[];
  /** Those that go on, and the last of each command. */
  readonly jobs: readonly JobsStatus[];
}

/** Where the runs of a shard stand. */
export interface RunStatus {
  readonly shard: number;
  /** When the last run ended that did not die or fail. */
  readonly completedAt?: Timestamp | undefined;
  /** Set while a run has the shard's lists, and after it has died: no other run before then. */
  readonly takenUntil?: Timestamp | undefined;
}

export interface ListStatus {
  /** Its path without the leading slash. */
  readonly list: string;
  readonly projectId?: string | undefined;
  /** Absent when it is no longer configured. */
  readonly resource?: string | undefined;
  readonly state: ListState;
  /** The `last_synced_at` of the next poll; absent before the first page. */
  readonly cursor?: Timestamp | undefined;
  /** Start of the last poll, to the second; absent when unknown. */
  readonly lastPollAt?: Timestamp | undefined;
  /** When the last change was seen. */
  readonly lastChangeAt?: Timestamp | undefined;
  /** Time since the last poll: no change is unseen for longer. */
  readonly lagSeconds?: number | undefined;
  /** As many entities changed at this time as the largest page holds: some may be unseen. */
  readonly saturatedAt?: Timestamp | undefined;
  /** Failed polls in a row, if any. */
  readonly failures?: number | undefined;
  readonly failingSince?: Timestamp | undefined;
  /** The last failure, cut. */
  readonly cause?: string | undefined;
  /** It is not polled before. Absent: with the next run that has requests left for it. */
  readonly nextPollAt?: Timestamp | undefined;
  /** The job that it has, or its last one. */
  readonly job?: Job | undefined;
}

export interface JobsStatus {
  readonly id: string;
  readonly command: Job['name'];
  readonly startedAt: Timestamp;
  /** Lists that have a job of the command. */
  readonly lists: number;
  /** Those of them that are not done. */
  readonly waiting: number;
  /** The others, by the outcomes of their jobs. */
  readonly outcomes: Readonly<Partial<Record<JobOutcome, number>>>;
  readonly counts: JobCounts;
  /** Lists that were skipped, by the reason. */
  readonly skipped?: Readonly<Record<string, number>>;
  /** Lists that were not compared, and why; not all, if there are many. */
  readonly problems: readonly {
    readonly list: string;
    readonly outcome: JobOutcome;
    readonly cause: string;
  }[];
}

/** Lists were changed, or with `dryRun` would be. */
export interface ChangedAnswer {
  readonly command: ChangeRequest['command'];
  readonly listCount: number;
  /** Some of the lists that were changed, or with `dryRun` would be. */
  readonly examples: readonly string[];
  /** Lists that had a job before, which is not over. */
  readonly jobCount: number;
  /** Lists that were paused by themselves before. */
  readonly pausedCount: number;
  /** Lists of deleted projects, which are read rarely. */
  readonly deletedCount: number;
  /** Set while all lists are paused: resume all to have any polled. */
  readonly isAllPaused?: true | undefined;
  /** Lists that this request has changed: not those that were so before. Absent with `dryRun`. */
  readonly changedCount?: number | undefined;
  /** Lists that are left for the next request. Absent for none. */
  readonly leftCount?: number | undefined;
  /** Ask again with this key as `after`: there are more lists. Absent: all are changed. */
  readonly next?: string | undefined;
  /** Of jobs. Absent with `dryRun`. */
  readonly id?: string | undefined;
}

/** An entity that we cannot process, or an event that the topic refuses. */
export interface QuarantineItem {
  /** Digest of the subject and the version. */
  readonly id: string;
  readonly kind: 'entity' | 'event';
  readonly list: string;
  /** API path of the entity. */
  readonly subject: string;
  /** When it was quarantined. */
  readonly at: Timestamp;
  /** Cut, but for one item that is shown. */
  readonly reason: string;
}

export interface QuarantineListAnswer {
  readonly command: 'quarantine-list';
  readonly matchCount: number;
  /** The first by their time: as many as fit an answer. */
  readonly items: readonly QuarantineItem[];
}

/** With the entity as received, or the event as built. */
export interface QuarantineShowAnswer {
  readonly command: 'quarantine-show';
  readonly item: QuarantineItem & { readonly value: unknown };
}

/** Items are tried again or dropped, or with `dryRun` would be. */
export interface QuarantineChangeAnswer extends Omit<QuarantineListAnswer, 'command'> {
  readonly command: 'quarantine-retry' | 'quarantine-drop';
  /** Those that stay in the quarantine, and why. */
  readonly skipped: readonly { readonly item: QuarantineItem; readonly reason: string }[];
}

export type QuarantineAnswer = QuarantineListAnswer | QuarantineShowAnswer | QuarantineChangeAnswer;

/** How a webhook's endpoint fares. */
export interface WebhookHealth {
  readonly name: string;
  readonly failingSince?: string | undefined;
  readonly disabledAt?: string | undefined;
  /** An answer 410, a day of failures only, or an operator. */
  readonly disabledBy?: '410' | 'failures' | 'operator' | undefined;
}

export interface WebhookStatus extends WebhookHealth {
  readonly url: string;
  /** `not delivering`: its function has no event source mapping. */
  readonly state: 'delivering' | 'failing' | 'disabled' | 'not delivering';
  /** Lambda's word for its event source mapping: `Enabled`, `Disabling` …, or `missing`. */
  readonly mapping: string;
  /** About so many events are in the queue, those that wait for their next attempt included. */
  readonly waitingCount: number;
  /** About so many dead letters there are. */
  readonly deadCount: number;
}

export interface WebhookListAnswer {
  readonly command: 'webhook-list';
  readonly webhooks: readonly WebhookStatus[];
}

/** The webhook was changed, or an event was put into its queue. */
export interface WebhookDoneAnswer {
  readonly command: 'webhook-test' | 'webhook-enable' | 'webhook-disable';
  readonly name: string;
  /** Id of the event, for a test. */
  readonly id?: string | undefined;
  /** Set if the event of a test waits until the webhook is enabled. */
  readonly disabled?: true | undefined;
}

/** One try to deliver an event. */
export interface WebhookAttemptStatus extends Omit<WebhookAttempt, 'at' | 'nextAt'> {
  readonly at: string;
  /** When the next one is due, unless the webhook is disabled. */
  readonly nextAt?: string | undefined;
}

export interface WebhookAttemptsAnswer {
  readonly command: 'webhook-attempts';
  readonly name: string;
  /** Set while the webhook is disabled: no event is tried. */
  readonly disabled?: true | undefined;
  /** The latest first. */
  readonly attempts: readonly WebhookAttemptStatus[];
  /** False when there are older ones. */
  readonly isComplete: boolean;
}

export interface WebhookResendAnswer {
  readonly command: 'webhook-resend';
  readonly name: string;
  readonly resentCount: number;
  /** False when there may be more dead letters. */
  readonly isComplete: boolean;
  /** Dead letters that somebody looked at in the two minutes before: hidden until then. */
  readonly hiddenCount: number;
}

export type WebhookRequestAnswer =
  | WebhookListAnswer
  | WebhookDoneAnswer
  | WebhookAttemptsAnswer
  | WebhookResendAnswer;
