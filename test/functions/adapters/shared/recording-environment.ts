import type { RetryEnvironment } from '../../../../functions/adapters/shared/retry.ts';

/** Records the delays instead of waiting. */
export interface RecordingEnvironment extends RetryEnvironment {
  readonly delays: number[];
}

/** @param random the number that every draw yields. */
export function recordingEnvironment(random = 0): RecordingEnvironment {
  const delays: number[] = [];
  return {
    delays,
    random: () => random,
    sleep: (milliseconds) => {
      delays.push(milliseconds);
      return Promise.resolve();
    },
  };
}
