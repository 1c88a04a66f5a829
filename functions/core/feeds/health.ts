/**
 * The health of a feed. It is in one of four states:
 *
 * - `ok`: its last poll succeeded. It is polled whenever it is chosen. A failed poll makes it wait,
 *   the deletion of its project parks it, an operator pauses it.
 * - `waiting` (field `wait`): its last poll failed. It is polled again at `wait.until`, and an
 *   operator's `retry` brings that forward. A page with news, or the end of the list, makes it ok,
 *   and the deletion of its project parks it.
 * - `parked` (field `parked`): its project is deleted. It is read once more, for changes just
 *   before the deletion, and then once a day. Its project's restoration makes it ok.
 * - `paused` (field `paused`): an operator stopped it. It is not polled until `resume`. Its project
 *   may park it meanwhile.
 *
 * There is one rule for all waits; it keeps failures alone (promise 6 of docs/guarantees.md):
 *
 * - After a failure of service, network, topic or table a feed waits 1, 2, 4, then 5 minutes.
 * - After a refusal of its list it waits 1, 2, 4 … 60 minutes.
 * - It waits longer if the service asks for it, an hour at most.
 * - While a run has read nothing at all, the service itself may be down: then no wait is longer
 *   than 5 minutes, so that all lists go on soon after the outage.
 */
import { FeedError, ServiceError } from '../model/errors.ts';
import type { Feed, FeedWait } from '../model/feed.ts';
import { DAY_MS, MINUTE_MS } from '../model/timestamp.ts';

/** Maximum wait after a failure of service, network, topic or table, and after any in an outage. */
const MAX_FAILED_MS = 5 * MINUTE_MS;
/** Maximum wait of a refused list. */
const MAX_REFUSED_MS = 60 * MINUTE_MS;
/** Maximum wait for which the service may ask. */
const MAX_ASKED_MS = 60 * MINUTE_MS;
/** Characters of a cause that are kept: enough for what failed and why. */
const MAX_CAUSE_LENGTH = 200;

export type Health = 'ok' | 'waiting' | 'parked' | 'paused';

export function healthOf({ paused, parked, wait }: Feed): Health {
  if (paused) return 'paused';
  if (parked) return 'parked';
  return wait ? 'waiting' : 'ok';
}

export function isWaiting(feed: Feed): boolean {
  return healthOf(feed) === 'waiting';
}

/**
 * Whether the service works, and this list alone does not: 403, 404, a 401 even with a new token,
 * an answer that is no page, or an entity too large for the memory.
 */
export function isRefusal(error: unknown): boolean {
  if (error instanceof ServiceError) return [401, 403, 404].includes(error.status ?? 0);
  return error instanceof FeedError;
}

/** When a poll failed, and whether the run has read any list before. */
export interface FailureTime {
  readonly now: number;
  readonly hasRead: boolean;
}

/** The feed after a failed poll. Its cursor stays. */
export function afterFailure(feed: Feed, error: unknown, { now, hasRead }: FailureTime): Feed {
  // Below a deleted project a refusal is the usual answer.
  if (feed.parked && isRefusal(error) && hasRead) return afterWholeRead(feed, now);
  const isRefused = isRefusal(error);
  // Refusals and failures count apart: a service that was down for long has refused nothing yet.
  const isSameKind = (feed.wait?.isRefused ?? false) === isRefused;
  const failures = isSameKind ? (feed.wait?.failures ?? 0) + 1 : 1;
  const wait: FeedWait = {
    until: now + waitMs(failures, error, hasRead),
    failures,
    cause: causeOf(error),
    since: feed.wait?.since ?? now,
    ...(isRefused && { isRefused }),
  };
  return { ...feed, wait };
}

function waitMs(failures: number, error: unknown, hasRead: boolean): number {
  const doubled = MINUTE_MS * 2 ** (failures - 1);
  const ownMs = Math.min(doubled, isRefusal(error) ? MAX_REFUSED_MS : MAX_FAILED_MS);
  const askedMs = error instanceof ServiceError ? error.retryAfterMs : 0;
  const waitMs = Math.max(ownMs, Math.min(askedMs, MAX_ASKED_MS));
  return hasRead ? waitMs : Math.min(waitMs, MAX_FAILED_MS);
}

/** Name and message of an error, cut. */
export function causeOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, MAX_CAUSE_LENGTH);
}

/** The feed with its wait ended. */
export function withoutWait({ wait: _, ...feed }: Feed): Feed {
  return feed;
}

/** The feed once its list was read to the end. A parked one has its next turn tomorrow. */
export function afterWholeRead(feed: Feed, now: number): Feed {
  const read = withoutWait(feed);
  return read.parked ? { ...read, parked: { until: now + DAY_MS } } : read;
}

/** The feed of a deleted project, to be read once more. */
export function park(feed: Feed): Feed {
  return feed.parked ? feed : { ...withoutWait(feed), parked: { until: 0 } };
}

/** The feed of a restored project: it goes on at once, from its cursor. */
export function unpark(feed: Feed): Feed {
  if (!feed.parked) return feed;
  const { parked: _, ...living } = withoutWait(feed);
  return living;
}

/** The feed with its wait brought forward. */
export function retry(feed: Feed): Feed {
  const { wait } = feed;
  return wait && wait.until > 0 ? { ...feed, wait: { ...wait, until: 0 } } : feed;
}
