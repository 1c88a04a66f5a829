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
  /** Time that remains for calls; see `RetryPolicy`. Absent: no limit. */
  readonly leftMs?: (() => number) | undefined;
  /** Named in the error when the time is up. */
  readonly callee?: string;
}

/**
 * Makes a call if time remains, and aborts it when the time is up. Without that, a call without an answer
 * lasts until Lambda ends the process, and nothing is reported.
 *
 * @throws OutOfTimeError when the time is up, otherwise the error of the call.
 */
export async function whileTimeRemains<Result>(
  { leftMs, callee = 'AWS' }: CallOptions,
  call: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
): Promise<Result> {
  if (leftMs === undefined) return call({});
  try {
    const timeMs = leftMs();
    if (timeMs <= 0) throw new AttemptTimeoutError();
    return await new Attempt(timeMs, undefined).run(({ signal }) => call({ abortSignal: signal }));
  } catch (error) {
    throw error instanceof AttemptTimeoutError ? new OutOfTimeError(callee) : error;
  }
}
