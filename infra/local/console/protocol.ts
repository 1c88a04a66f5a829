import type { ControlRequest, StatusAnswer } from '../../../functions/control/protocol.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import type { ChangeName } from '../simulator/changes.ts';

/** Rows of events, lists, floorplans and checklists: the console keeps and shows no more. */
export const MAX_ROWS = 200;

/** The content of one server-sent event: all that there is when a tab opens, then the news. */
export interface StreamMessage {
  readonly session: SessionView;
  /** Absent while they are as before. */
  readonly lists?: ListsView;
  /** Those that the tab does not have, in the order of arrival. */
  readonly events: readonly ReceivedEvent[];
}

/** Where lists stand, as the control function shows it. */
export type ListsView = Pick<StatusAnswer, 'lists' | 'totals' | 'jobs'>;

/** An event as a queue of the console received it. Times are milliseconds since 1970. */
export interface ReceivedEvent {
  /** Counts the events of the session. */
  readonly number: number;
  readonly event: ChangeEvent | ClaimCheckEvent;
  readonly receivedAt: number;
  /** Number of the run that published it; absent when it was before the session. */
  readonly run?: number;
  /** Whether an event with the same id was received before. */
  readonly isRepeat: boolean;
}

/** The session of `npm start`, without its lists and events. */
export interface SessionView {
  readonly phase: 'starting' | 'running' | 'stopped';
  readonly service: {
    readonly url: string;
    readonly isSimulated: boolean;
    readonly isSwitchedOff: boolean;
    /** The faults that are still to hit requests, in words. */
    readonly faults: readonly string[];
  };
  readonly everySeconds: number;
  /** Whether the simulated building site changes by itself. */
  readonly isBusy: boolean;
  /** Whether the next run is killed at its first request. */
  readonly isKillArmed: boolean;
  /** Since the start of the session. */
  readonly counts: {
    /** Requests of the poller to the service. */
    readonly requests: number;
    /** Completed runs, the entities on their pages, and the events that the topic accepted. */
    readonly runs: number;
    readonly entities: number;
    readonly published: number;
    readonly quarantined: number;
    /** Events in the console's queue, repeats included. */
    readonly received: number;
  };
  /** The latest, oldest first. */
  readonly runs: readonly RunView[];
  /** The latest, oldest first. */
  readonly notes: readonly Note[];
}

export type RunOutcome =
  | 'running'
  | 'completed'
  | 'with failures'
  | 'lease held'
  | 'failed'
  | 'killed';

export interface RunView {
  readonly number: number;
  readonly shard: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly outcome: RunOutcome;
  readonly eventCount: number;
  /** In words. */
  readonly details: string;
}

export interface Note {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly tone: 'info' | 'problem' | 'recovered';
  readonly text: string;
}

/** Bodies of `POST /api/<name>`. */
export interface Requests {
  /** A change in the simulated service; `id` of the entity, or of the parent of a new one. */
  readonly change: { readonly change: ChangeName; readonly id?: string; readonly name?: string };
  readonly activity: { readonly isRunning: boolean };
  readonly fault: { readonly fault: FaultName };
  readonly control: ControlRequest;
  readonly kill: Readonly<Record<string, never>>;
}

/** Faults of the simulated service: label and title. `switched-off` lasts until the next press. */
export const FAULTS = {
  unauthorized: ['401 now', 'All access tokens expire'],
  'rate-limit': ['429', 'Too many requests, with Retry-After'],
  'server-error': ['5xx', '20 requests are answered with 503'],
  slow: ['Slow', '8 requests take 2.5 s longer'],
  'broken-page': ['Broken page', 'One list breaks off half-way until it fails'],
  'late-commit': ['Late commit', 'A change that readers see only 8 s later'],
  tie: ['Tie', 'Five changes in one millisecond'],
  invalid: ['Invalid entity', 'A floorplan goes into the quarantine; restore it'],
  'switched-off': ['Switched off', 'No request is answered until you press it again'],
} as const;

export type FaultName = keyof typeof FAULTS;

/** Answer to a change or a fault: the entities whose events will follow. */
export interface ChangeAnswer {
  readonly ids: readonly string[];
}

/** Answer to a request that was refused or has failed. */
export interface Refusal {
  readonly error: { readonly message: string; readonly hint?: string };
}

export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly details?: string;
}

/** Answer of `GET /api/projects?project=<id>`: all projects, and the content of one. */
export interface SiteView {
  readonly projects: readonly NamedEntity[];
  /** The project that was asked for, or else one with floorplans. */
  readonly projectId?: string;
  readonly floorplans: readonly NamedEntity[];
  readonly checklists: readonly NamedEntity[];
}
