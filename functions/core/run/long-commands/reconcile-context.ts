import type { EntityKey } from '../../model/entity-state.ts';
import type { Feed } from '../../model/feed.ts';
import type { ReconcileCount } from '../../model/reconcile-report.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import type { Timestamp } from '../../model/timestamp.ts';
import type { RunContext } from '../run-context.ts';

/** Where the reconciliation of one list goes on. */
export interface ListPosition {
  /** The list is read on from this cursor. Absent: from its start. */
  readonly from?: Timestamp | undefined;
  /** The end of a window that was read before, and whose missing entities are not all asked for. */
  readonly until?: Timestamp | undefined;
  /** The last of these entities that was asked for. */
  readonly after?: EntityKey | undefined;
  /** Entities of the list that were live when its first window was judged. */
  readonly knownCount?: number | undefined;
  /** Those of them that its windows lacked until now, whatever came of asking for them. */
  readonly missingCount?: number | undefined;
  /** The end of the versions of which missing ones are counted. */
  readonly countedTo?: Timestamp | undefined;
  /** The last entity that a window has shown, and not as deleted: it vouches for those that show deleted ones alone. */
  readonly validId?: string | undefined;
  /** Steps that failed in a row because of the list. */
  readonly failures?: number | undefined;
  /** After one of these no step is made before this time, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
}

/** Everything that one step of a reconciliation has. */
export interface ReconcileContext {
  readonly run: RunContext;
  readonly counts: Record<ReconcileCount, number>;
  /** Whether a list may lack any share of its entities. What the service says of each one counts all the same. */
  readonly isForced: boolean;
  /** Whether time and request budget allow another page; entities are asked for with the rest. */
  readonly canRead: () => boolean;
  /** Whether they allow further requests at all. */
  readonly canAsk: () => boolean;
  /** Requests that the step has left; may be infinite. */
  readonly requestsLeft: () => number;
}

/** A list that is reconciled. */
export interface ReconciledList {
  readonly feed: Feed;
  readonly resource: Resource;
}

/** A list cannot be judged, and why. Nothing of it is deleted. */
export class NoVerdictError extends Error {
  override readonly name = 'NoVerdictError';
}

/** More of a list is missing at once than may be. */
export class TooMuchMissingError extends Error {
  override readonly name = 'TooMuchMissingError';
}
