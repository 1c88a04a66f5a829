import { createHash } from 'node:crypto';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

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
const MAX_WAIT_MS = 12 * HOUR_MS - 5 * MINUTE_MS;

/** No attempt begins later than this after the first one. */
export const RETRY_MS = 72 * HOUR_MS;

/** Up to this share of a wait is added, so that the events of an outage do not all come back at once. */
const JITTER = 0.1;

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
  const planned = WAITS_MS[Math.min(Math.max(count, 1), WAITS_MS.length) - 1] ?? 0;
  const jittered = planned * (1 + JITTER * fraction(`${messageId} ${count}`));
  const waitMs = Math.min(Math.max(jittered, retryAfterMs), MAX_WAIT_MS);
  return now + waitMs > firstAt + RETRY_MS ? undefined : waitMs;
}

/** A number from 0 to 1 that looks random, and is always the same for a text. */
function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
