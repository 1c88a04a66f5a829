/** A call exceeded its time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Makes a call, and aborts it when its time is up.
 *
 * @throws TimeoutError when the time is up, otherwise the error of the call.
 */
export async function withTimeout<T>(
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => {
    timeout.abort();
  }, timeoutMs);
  try {
    return await call(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } catch (error) {
    // An aborted call rejects with an error of its own.
    throw timeout.signal.aborted ? new TimeoutError() : error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Makes a call of AWS if time remains, and aborts it when the time is up. Otherwise a call without
 * an answer lasts until Lambda ends the process, and nothing is reported.
 *
 * @param leftMs time that remains for calls. Absent: no limit.
 * @throws TimeoutError when the time is up, otherwise the error of the call.
 */
export async function whileTimeRemains<T>(
  leftMs: (() => number) | undefined,
  call: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  if (leftMs === undefined) return call({});
  try {
    const timeMs = leftMs();
    if (timeMs <= 0) throw new TimeoutError();
    return await withTimeout(timeMs, (abortSignal) => call({ abortSignal }));
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    throw new TimeoutError('AWS gave no answer before the run had to end');
  }
}

/** Settles as the promise, or rejects with the signal's reason if it is aborted first. */
export async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
