import { setTimeout as sleep } from 'node:timers/promises';

/** Number of tries of a failing call, and the waits between them. */
export interface RetryPolicy {
  /** Tries in a row without success before giving up. At least 1. */
  readonly maxTries: number;
  /** Longest wait after the first failed try; doubled with each further one. */
  readonly baseDelayMs: number;
  /** Longest wait between two tries. */
  readonly maxDelayMs: number;
  /** Time that remains: the last try is the one before a longer wait. Absent: no limit. */
  readonly leftMs?: () => number;
}

/** Waits up to 0.05, 0.1, 0.2 … 1.6 s: long enough for a throttled table or topic to recover. */
export const DEFAULT_RETRY: RetryPolicy = { maxTries: 7, baseDelayMs: 50, maxDelayMs: 5_000 };

/** Clock and randomness, injected for tests. */
export interface RetryEnvironment {
  /** Resolves after the time, or once the signal is aborted. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<unknown>;
  /** A number from 0 to below 1. */
  random(): number;
}

/** The machine's timers and randomness. */
export const MACHINE: RetryEnvironment = {
  // An aborted wait resolves: the caller checks the signal.
  sleep: (milliseconds, signal) =>
    sleep(milliseconds, undefined, signal && { signal }).catch(() => undefined),
  random: () => Math.random(),
};

export interface RetryOptions extends RetryPolicy {
  readonly isRetryable: (error: unknown) => boolean;
  /** Wait that the failed call requests (`Retry-After`), in milliseconds; 0 for none. */
  readonly retryAfterMs?: (error: unknown) => number;
  /** A call that requests a longer wait fails at once. */
  readonly maxRetryAfterMs?: number;
  /** Ends the waiting between two tries, and with it the call. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The wait after so many failed tries in a row, at least 1: less up to half as jitter, so that
 * clients that failed together do not return together.
 */
export function backoffMs(
  failedTries: number,
  { baseDelayMs, maxDelayMs }: RetryPolicy,
  environment: RetryEnvironment,
): number {
  return (
    Math.min(baseDelayMs * 2 ** (failedTries - 1), maxDelayMs) * (1 - environment.random() / 2)
  );
}

/** Whether a wait is longer than the time that remains. */
export function isTooLong(delayMs: number, { leftMs }: RetryPolicy): boolean {
  return leftMs !== undefined && delayMs > leftMs();
}

/**
 * Calls until a call succeeds.
 *
 * @param call gets the number of the try, from 1.
 * @throws the error of the last call.
 * @throws the signal's reason when it is aborted between two calls.
 */
export async function retry<T>(
  call: (tryNumber: number) => Promise<T>,
  options: RetryOptions,
  environment: RetryEnvironment = MACHINE,
): Promise<T> {
  const { maxTries, isRetryable, retryAfterMs, maxRetryAfterMs = Infinity, signal } = options;
  for (let tryNumber = 1; ; tryNumber += 1) {
    try {
      return await call(tryNumber);
    } catch (error) {
      if (tryNumber >= maxTries || !isRetryable(error)) throw error;
      const requestedMs = retryAfterMs?.(error) ?? 0;
      if (requestedMs > maxRetryAfterMs) throw error;
      const delayMs = Math.max(requestedMs, backoffMs(tryNumber, options, environment));
      if (isTooLong(delayMs, options)) throw error;
      await environment.sleep(delayMs, signal);
      signal?.throwIfAborted();
    }
  }
}
