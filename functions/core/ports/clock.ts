/** Time, injected for tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Starts to measure a time. @returns the milliseconds since, also if the clock was set back. */
  stopwatch(): () => number;
  /** Resolves after the time, or as soon as the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
