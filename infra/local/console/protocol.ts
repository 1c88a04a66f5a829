import type {
  JobsStatus,
  ControlRequest,
  ListState,
  ListStatus,
} from '../../../functions/control/protocol.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import type { ChangeName } from '../simulator/changes.ts';

/** Events that the console keeps, and a tab shows. */
export const MAX_EVENTS = 1_000;

/** Maximum number of characters of a name. */
const MAX_NAME_LENGTH = 255;

/** What is wrong with a name; undefined for nothing. */
export function nameProblem(name: string): string | undefined {
  const { length } = name.trim();
  if (length > 0 && length <= MAX_NAME_LENGTH) return undefined;
  return `A name has 1 to ${MAX_NAME_LENGTH} characters, yours has ${length}.`;
}

/** What the server sends to a tab, as one JSON text per server-sent event. */
export type ServerMessage =
  | { readonly type: 'session'; readonly session: SessionView }
  | { readonly type: 'lists'; readonly view: ListsView }
  | EventsMessage;

export interface EventsMessage {
  readonly type: 'events';
  /** In the order of arrival. */
  readonly events: readonly ReceivedEvent[];
  /** Whether they replace those that the tab has: the first message of each stream. */
  readonly isFirst: boolean;
}

/** The states of lists, in the order in which lists are shown. */
export const LIST_STATES = [
  ...(['waiting', 'paused', 'baseline', 'live', 'not polled', 'parked'] as const),
] satisfies readonly ListState[];

export interface ListsView {
  /** Not all if there are many: the first by their states. */
  readonly lists: readonly ListStatus[];
  /** Of all lists. */
  readonly counts: Readonly<Partial<Record<ListState, number>>>;
  /** Those that go on. */
  readonly jobs: readonly JobsStatus[];
}

/** An event as a queue of the console received it. Times are milliseconds since 1970. */
export interface ReceivedEvent {
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
  readonly service: { readonly url: string; readonly isSimulated: boolean };
  /** `Service-Version` that the poller requests; absent: the latest. */
  readonly serviceVersion?: string;
  readonly everySeconds: number;
  /** When the first run that read anything had ended, milliseconds since 1970: no event tells of before. */
  readonly learnedAt?: number;
  /** Absent for a real service. */
  readonly activity?: Activity;
  readonly faults: readonly ActiveFault[];
  /** Whether the next run is killed at its first request. */
  readonly isKillArmed: boolean;
  readonly flow: FlowCounts;
  /** Requests to the service in the last 60 seconds; `used` is absent without the metric. */
  readonly budget: { readonly used?: number; readonly perMinute: number };
  /** The latest, oldest first. */
  readonly runs: readonly RunView[];
  /** The latest, oldest first. */
  readonly notes: readonly Note[];
}

export interface Activity {
  readonly isRunning: boolean;
  /** Changes per second. */
  readonly rate: number;
}

export interface ActiveFault {
  readonly label: string;
  /** Whether no request is answered until it is stopped. */
  readonly isSwitchedOff: boolean;
  /** Requests that it will still hit; absent: until it is stopped. */
  readonly left?: number;
}

/** Counts since the start of the session. */
export interface FlowCounts {
  /** Requests to the service, of the poller alone. */
  readonly requestCount: number;
  /** Completed runs. */
  readonly runCount: number;
  /** Entities on the pages of completed runs. */
  readonly entityCount: number;
  /** Lists that the table holds. */
  readonly listCount: number;
  /** Events that the topic accepted, by completed runs. */
  readonly publishedCount: number;
  /** Events in the console's queue, repeats included. */
  readonly receivedCount: number;
  readonly quarantinedCount: number;
}

export type RunOutcome =
  | 'running'
  | 'completed'
  | 'with failures'
  | 'lease held'
  | 'failed'
  | 'killed';

/** A run of one shard. */
export interface RunView {
  readonly number: number;
  readonly shard: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs?: number;
  readonly outcome: RunOutcome;
  readonly eventCount: number;
  /** In words. */
  readonly details: string;
}

/** The places of the flow picture. */
export type Place = 'service' | 'poller' | 'table' | 'topic' | 'subscribers';

/** Something that happened, in words. */
export interface Note {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly place: Place;
  readonly tone: 'info' | 'problem' | 'recovered';
  readonly text: string;
}

/** Body of `POST /api/change`: a change in the simulated service. */
export interface ChangeRequest {
  readonly change: ChangeName;
  /** The entity to change; to create one below another, that of the other. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

/** Body of `POST /api/activity`. */
export interface ActivityRequest {
  readonly isRunning: boolean;
  readonly rate: number;
}

export const FAULT_NAMES = [
  ...(['unauthorized', 'rate-limit', 'server-error', 'slow', 'broken-page'] as const),
  ...(['late-commit', 'tie', 'switched-off'] as const),
];

export type FaultName = (typeof FAULT_NAMES)[number];

/** Body of `POST /api/fault`. */
export interface FaultRequest {
  /** Absent: stops all faults. */
  readonly fault?: FaultName;
  /** Whether `switched-off` ends. */
  readonly isEnd?: boolean;
}

/** Body of `POST /api/control`: a request to the control function. */
export type ControlBody = ControlRequest;

/** Answer to a request that was refused or has failed. */
export interface Refusal {
  readonly error: { readonly message: string; readonly hint?: string };
}

/** Answer to a change: the ids of the entities whose events will follow. */
export interface ChangeAnswer {
  readonly ids: readonly string[];
}

export interface NamedEntity {
  readonly id: string;
  readonly name: string;
  readonly isDeleted: boolean;
}

/** Answer of `GET /api/projects`. */
export type ProjectsAnswer = readonly NamedEntity[];

export interface ChecklistView extends NamedEntity {
  readonly items: readonly NamedEntity[];
}

export interface FloorplanView extends NamedEntity {
  readonly rotation: number;
}

/** Answer of `GET /api/projects/<id>`. */
export interface ProjectAnswer {
  readonly floorplans: readonly FloorplanView[];
  readonly checklists: readonly ChecklistView[];
}
