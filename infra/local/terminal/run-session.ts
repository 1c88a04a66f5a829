import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import type { LocalStack } from '../stack/local-stack.ts';
import { formatRun } from './format-output.ts';
import { startTicker } from '../stack/scheduler.ts';
import type { Terminal } from './terminal.ts';

/** How long a session goes, and how often the poller runs. */
export interface SessionOptions {
  /** Seconds between two runs. */
  readonly every: number;
  /** Ends after so many seconds; absent: only when the signal is aborted. */
  readonly seconds?: number;
}

/** How long a run may go on after Ctrl-C before it is cut. */
const RUN_GRACE_MS = 3_000;

/**
 * Runs the poller on its schedule and shows each event as a subscriber receives it. When its time is
 * up, the last run finishes; what was published is shown before it returns.
 *
 * The simulated service makes changes from the end of the first good run on, which has learned what
 * exists.
 *
 * @returns false when not one run was good.
 */
export async function runSession(
  stack: LocalStack,
  { every, seconds }: SessionOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const subscriber = await stack.subscribe();
  const finished = new AbortController();
  const following = subscriber.follow(({ message }) => {
    // What the poller publishes are ChangeEvents.
    terminal.event(JSON.parse(message) as ChangeEvent);
  }, finished.signal);

  let runs = 0;
  let goodRuns = 0;
  const ticker = startTicker(every * 1000, async () => {
    const run = ++runs;
    const start = performance.now();
    try {
      const summary = await stack.invoke();
      terminal.status(formatRun(run, summary, performance.now() - start));
      if (++goodRuns === 1) stack.service?.startActivity();
    } catch (error) {
      if (signal.aborted) terminal.status(`run ${run} was cut`);
      else terminal.problem(`run ${run} failed: ${(error as Error).message}`);
    }
  });

  // When following fails, all is stopped in order before the error is thrown below.
  await Promise.race([timeIsUp(seconds, signal), following.catch(() => undefined)]);
  const stopped = ticker.stop();
  if (signal.aborted) await cut(stack, stopped);
  await stopped;
  finished.abort();
  await following;
  return goodRuns > 0;
}

async function timeIsUp(seconds: number | undefined, signal: AbortSignal): Promise<void> {
  const ending =
    seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  if (!ending.aborted) await once(ending, 'abort');
}

/** Cuts the run that is going, unless it ends by itself soon. */
async function cut(stack: LocalStack, stopped: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const grace = delay(RUN_GRACE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([stopped, grace]);
  ended.abort();
  await stack.killFunction();
}
