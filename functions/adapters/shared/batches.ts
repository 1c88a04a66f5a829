import { isTooLong, backoffMs, MACHINE, type RetryEnvironment, type RetryPolicy } from './retry.ts';

/** How often to send items, and how long to wait in between. */
export interface SendPolicy extends RetryPolicy {
  /** Whether the last send was throttled. That is no failed try: the items are accepted in time. */
  readonly isThrottled?: () => boolean;
}

/**
 * Sends items until none remains. Backs off while nothing is accepted. After a send that accepted
 * some items, waits the shortest time and restarts the count.
 *
 * @param send sends the items and returns the rejected ones.
 * @returns the items that remain after `maxTries` tries in a row without success, or when no time
 *   remains.
 */
export async function sendUntilDone<T>(
  items: readonly T[],
  send: (items: readonly T[]) => Promise<readonly T[]>,
  policy: SendPolicy,
  environment: RetryEnvironment = MACHINE,
): Promise<readonly T[]> {
  let remaining = items;
  let failedTries = 0;
  let throttledTries = 0;
  while (remaining.length > 0) {
    const rejected = await send(remaining);
    if (rejected.length < remaining.length) failedTries = throttledTries = 0;
    else if (policy.isThrottled?.() === true) throttledTries += 1;
    else failedTries += 1;
    remaining = rejected;
    if (remaining.length === 0 || failedTries >= policy.maxTries) break;
    const delayMs = backoffMs(Math.max(failedTries + throttledTries, 1), policy, environment);
    if (isTooLong(delayMs, policy)) break;
    await environment.sleep(delayMs);
  }
  return remaining;
}

/** Runs a limited number of tasks concurrently: a `p-queue`. */
export interface Limiter {
  add<R>(task: () => Promise<R>): Promise<R>;
}

/**
 * Makes a call for each item, as many concurrently as the limiter allows. After a failure it starts
 * no more calls, and rejects when those in flight have ended: none of them may write or publish
 * after the caller has continued.
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
