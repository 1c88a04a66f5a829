/** What one call of a batch interface takes. */
export interface BatchLimits<T> {
  /** Items a call. */
  readonly maxItems: number;
  /** Bytes a call, summed over its items. No limit when absent. */
  readonly maxBytes?: number;
  /** Size of one item in bytes, as the called service counts it. Needed with `maxBytes`. */
  readonly bytesOf?: (item: T) => number;
}

/**
 * Cuts a list into batches that keep within the limits, in the order given. An item that is over
 * `maxBytes` alone gets a batch of its own; whether it may be sent is the caller's question.
 */
export function packBatches<T>(items: readonly T[], limits: BatchLimits<T>): T[][] {
  const { maxItems, maxBytes = Infinity, bytesOf = () => 0 } = limits;
  const batches: T[][] = [];
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (batch.length > 0 && (batch.length === maxItems || bytes + size > maxBytes)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/** How often and how patiently something is tried again. */
export interface RetryPolicy {
  /** Tries in a row that achieve nothing before giving up. At least 1. */
  readonly maxTries: number;
  /** Wait after the first failed try, in milliseconds; doubled with each further one. */
  readonly baseDelayMs: number;
  /** Longest wait between two tries, in milliseconds. */
  readonly maxDelayMs: number;
}

/** Waits 0.05, 0.1, 0.2 … 1.6 s (less jitter): long enough for a throttled table or topic to recover. */
export const DEFAULT_RETRY: RetryPolicy = { maxTries: 7, baseDelayMs: 50, maxDelayMs: 5_000 };

/** The world that retries need; given from outside, since the core has no clock or chance of its own. */
export interface RetryEnvironment {
  /** Resolves after so many milliseconds. */
  sleep(milliseconds: number): Promise<unknown>;
  /** A number from 0 to below 1. */
  random(): number;
}

/**
 * Sends items until none is left. After a send that leaves some, the rest is sent again: after a wait
 * that doubles, less up to half as jitter, while nothing goes through; after the shortest wait when
 * something did, since then it moves.
 *
 * @param send sends the items and returns those that were not accepted.
 * @returns what is still left after `maxTries` tries in a row that achieved nothing; empty when done.
 */
export async function sendUntilDone<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<readonly T[]>,
  retry: RetryPolicy,
  world: RetryEnvironment,
): Promise<readonly T[]> {
  let left = items;
  let failedTries = 0;
  while (left.length > 0) {
    const before = left.length;
    left = await send(left);
    failedTries = left.length < before ? 0 : failedTries + 1;
    if (left.length === 0 || failedTries >= retry.maxTries) break;
    const wait = Math.min(retry.baseDelayMs * 2 ** Math.max(failedTries - 1, 0), retry.maxDelayMs);
    await world.sleep(wait * (1 - world.random() / 2));
  }
  return left;
}

/** Starts tasks and keeps only so many running: a `p-queue`. */
export interface Limiter {
  add<R>(task: () => Promise<R>): Promise<R>;
}

/**
 * Makes a call for each item, side by side as the limiter allows. After a failure it begins no more
 * calls and rejects when those under way have ended: nobody wants a straggler that writes or publishes
 * after its caller has gone on.
 *
 * @returns the results in the order of the items.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limiter: Limiter,
  call: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  const callUnlessFailed = async (item: T, index: number): Promise<void> => {
    if (failures.length > 0) return;
    try {
      results[index] = await call(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item, index) => limiter.add(() => callUnlessFailed(item, index))));
  if (failures.length > 0) throw failures[0] as Error;
  return results;
}
