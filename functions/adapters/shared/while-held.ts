import type { LeaseGuard } from '../../core/ports/lease-guard.ts';
import { Attempt, AttemptTimeoutError } from './attempt.ts';

/** A call had no answer before the time for calls was up. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';

  constructor(callee: string) {
    super(`${callee} gave no answer before the run had to end`);
  }
}

/** Limits of a call. */
interface CallOptions {
  readonly guard?: LeaseGuard | undefined;
  /** Time that remains for calls; see `RetryPolicy`. Absent: no limit. */
  readonly leftMs?: (() => number) | undefined;
  /** Named in the error when the time is up. */
  readonly callee?: string;
}

/**
 * Makes a call if the lease is held and time remains, and aborts it when the lease is lost or the time is up. Without
 * that, a call without an answer lasts until Lambda ends the process, and nothing is reported.
 *
 * @throws LeaseLostError when the lease is lost, OutOfTimeError when the time is up, otherwise the error of the call.
 */
export async function whileHeld<Result>(
  { guard, leftMs, callee = 'AWS' }: CallOptions,
  call: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  guard?.assertHeld();
  try {
    if (leftMs === undefined) return await call(guard ? { abortSignal: guard.signal } : {});
    const timeMs = leftMs();
    if (timeMs <= 0) throw new AttemptTimeoutError();
    const attempt = new Attempt(timeMs, guard?.signal);
    return await attempt.run(({ signal }) => call({ abortSignal: signal }));
  } catch (error) {
    guard?.assertHeld();
    throw error instanceof AttemptTimeoutError ? new OutOfTimeError(callee) : error;
  }
}
