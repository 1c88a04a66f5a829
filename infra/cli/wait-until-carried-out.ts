import { setTimeout as delay } from 'node:timers/promises';
import { CliError } from './cli-error.ts';
import { formatAge } from './terminal.ts';

/** First and longest time between two looks at whether a command is carried out. */
const FIRST_LOOK_MS = 500;
const LONGEST_LOOK_MS = 5000;
const WAIT_MS = 300_000;

/** Time, which tests make pass. */
export interface WaitClock {
  /** Milliseconds. */
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

const CLOCK: WaitClock = { now: () => performance.now(), sleep: (ms) => delay(ms) };

/**
 * Looks whether a command is pending, until it is no more, twice: what it sees may be some seconds behind.
 *
 * @param waitMs the longest time to wait; of a long command without an end.
 * @throws CliError if it is not carried out in time. It stays placed.
 */
export async function waitUntilCarriedOut(
  command: string,
  isPending: () => Promise<boolean>,
  { now, sleep }: WaitClock = CLOCK,
  waitMs = WAIT_MS,
): Promise<void> {
  const start = now();
  let pauseMs = FIRST_LOOK_MS;
  let wasPending = true;
  while (now() - start < waitMs) {
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS);
    const pending = await isPending();
    if (!pending && !wasPending) return;
    wasPending = pending;
  }
  throw new CliError(
    `Waiting ended after ${formatAge(waitMs / 1000)}: ${command} is not carried out yet.`,
    'It stays placed, and sitecast status shows it. Is the schedule off, or does a run take long?',
  );
}
