const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits after the first receipt from the queue, the second one and so on. */
const WAITS_MS = [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS] as const;

/** After all further receipts. */
const LATER_WAIT_MS = 10 * HOUR_MS;

/** The waits between so many attempts are three days. */
export const MAX_ATTEMPTS = 12;

/** SQS hides a message for 12 hours after it was received. The rest is for the attempt itself. */
export const MAX_WAIT_MS = 12 * HOUR_MS - 5 * MINUTE_MS;

/** Up to this share of a wait is added. Otherwise all events of an outage come back at once. */
const JITTER = 0.1;

/**
 * The wait until a message that was not delivered is received again.
 *
 * @param receiveCount 1 after the first receipt.
 * @param retryAfterMs the wait that the endpoint asks for.
 */
export function retryWait(receiveCount: number, retryAfterMs = 0): number {
  const planned = WAITS_MS[receiveCount - 1] ?? LATER_WAIT_MS;
  const jittered = planned * (1 + JITTER * Math.random());
  return Math.min(Math.max(jittered, retryAfterMs), MAX_WAIT_MS);
}
