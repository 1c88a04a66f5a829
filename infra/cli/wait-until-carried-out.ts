import { setTimeout as delay } from 'node:timers/promises';
import type { CommandStatus } from '../../functions/control/protocol.ts';
import { CliError } from './cli-error.ts';
import { formatAge } from './terminal.ts';

/** First and longest time between two looks at whether a command is carried out. */
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
 * Looks whether a command is pending, until it is no more, twice: what it sees may be some seconds behind.
 *
 * @param look the command as the status shows it; undefined when it is carried out.
 * @param stop ends the waiting.
 * @throws CliError if it is not carried out by then, or nothing of it was for five minutes. It stays placed.
 */
export async function waitUntilCarriedOut(
  command: string,
  look: () => Promise<CommandStatus | undefined>,
  stop: AbortSignal,
  { now, sleep }: WaitClock = CLOCK,
): Promise<void> {
  const start = now();
  let progressAt = start;
  let pauseMs = FIRST_LOOK_MS;
  let before: CommandStatus | undefined;
  let wasPending = true;
  while (now() - progressAt < WAIT_MS && !stop.aborted) {
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_LOOK_MS);
    const seen = await look();
    if (seen === undefined && !wasPending) return;
    wasPending = seen !== undefined;
    if (JSON.stringify(seen?.progress) !== JSON.stringify(before?.progress)) progressAt = now();
    before = seen;
  }
  const age = formatAge((now() - start) / 1000);
  throw new CliError(
    `Waiting ended after ${age}: ${command} is not carried out yet.`,
    stop.aborted
      ? 'It goes on: sitecast status shows how far it is, and sitecast cancel takes it back.'
      : 'It stays placed, and sitecast status shows it. Is the schedule off, or does a run take long?',
  );
}
