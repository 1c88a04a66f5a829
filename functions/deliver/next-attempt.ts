import { createHash } from 'node:crypto';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first attempt, the second one and so on; after all further ones the last. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** SQS hides a message for 12 hours after it was received; the rest is for the attempt itself. */
export const MAX_WAIT_MS = 12 * HOUR_MS - 5 * MINUTE_MS;

/** The last attempt begins this time after the first one, however long the wait before it should be. */
export const RETRY_MS = 72 * HOUR_MS;

/** Up to this share of a wait is added, so that the events of an outage do not all come back at once. */
const JITTER = 0.1;

/**
 * Longest wait of a message that no attempt was made for, or none that was counted. SQS moves a message away that it
 * handed over a thousand times: with these waits not before it would delete it.
 */
const MAX_UNTRIED_MS = 30 * MINUTE_MS;

/** In this time a mapping that was disabled has mostly stopped. */
const STOPPING_MS = MINUTE_MS;

/** What is known after a failed attempt. Times are milliseconds since 1970. */
export interface FailedAttempt {
  readonly messageId: string;
  /** 1 after the first attempt. */
  readonly count: number;
  readonly firstAt: number;
  readonly now: number;
  /** The endpoint's own wish. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * Plans the attempt after a failed one.
 *
 * @returns the wait; undefined if the retries are over.
 */
export function nextAttempt(failed: FailedAttempt): number | undefined {
  const { messageId, count, firstAt, now, retryAfterMs = 0 } = failed;
  const planned = waitAfter(count);
  const jittered = planned * (1 + JITTER * fraction(`${messageId} ${count}`));
  const leftMs = firstAt + RETRY_MS - now;
  return leftMs <= 0 ? undefined : Math.min(Math.max(jittered, retryAfterMs), MAX_WAIT_MS, leftMs);
}

/** The wait of a message that cannot be tried, or whose attempt cannot be counted. */
export function untriedWait(receiveCount: number): number {
  return Math.min(waitAfter(receiveCount), MAX_UNTRIED_MS);
}

/**
 * The wait of a message that is still handed over though its webhook is disabled.
 *
 * @param disabledMs for how long it is: a mapping that goes on for long cannot be stopped.
 */
export function disabledWait(disabledMs: number): number {
  return Math.min(Math.max(disabledMs, STOPPING_MS), MAX_UNTRIED_MS);
}

function waitAfter(count: number): number {
  return WAITS_MS[Math.min(Math.max(count, 1), WAITS_MS.length) - 1] ?? 0;
}

/** A number from 0 to 1 that looks random, and is always the same for a text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
