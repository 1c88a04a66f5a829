import { setTimeout as delay } from 'node:timers/promises';
import type { JobsStatus } from '../../functions/control/protocol.ts';
import { CliError } from './cli-error.ts';
import { formatAge } from './terminal.ts';

/** First and longest time between two looks at jobs. */
const FIRST_LOOK_MS = 500;
const LONGEST_LOOK_MS = 5000;
/** Waiting ends after this time without any progress. */
const WAIT_MS = 300_000;

/** Time, which tests make pass. */
export interface WaitClock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const CLOCK: WaitClock = { now: () => performance.now(), sleep: (ms) => delay(ms) };

/**
 * Looks at the jobs of a command until none of them waits.
 *
 * @param look the jobs as the status shows them; undefined when no list has them any more: they were cancelled.
 * @param stop ends the waiting.
 * @throws CliError if they are not done by then, or nothing of them was for five minutes. They go on.
 */
export async function waitUntilDone(
  command: string,
  look: () => Promise<JobsStatus | undefined>,
  stop: AbortSignal,
  { now, sleep }: WaitClock = CLOCK,
): Promise<JobsStatus | undefined> {
  const start = now();
  let progressAt = start;
  let pauseMs = FIRST_LOOK_MS;
  let before = '';
  while (now() - progressAt < WAIT_MS && !stop.aborted) {
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS);
    const seen = await look();
    if (seen === undefined || seen.waiting === 0) return seen;
    const text = JSON.stringify(seen);
    if (text !== before) progressAt = now();
    before = text;
  }
  const age = formatAge((now() - start) / 1000);
  throw new CliError(
    `Waiting ended after ${age}: ${command} is not done yet.`,
    stop.aborted
      ? 'It goes on: sitecast status shows how far it is, and sitecast cancel ends it.'
      : 'It goes on, and sitecast status shows it. Is the schedule off, or does a run take long?',
  );
}
