import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { parseJson } from '../../../functions/core/model/json.ts';
import type { LocalStack } from '../stack/local-stack.ts';
import { startTicker } from '../stack/ticker.ts';
import { formatRun } from './format-output.ts';
import type { Options } from './parse-options.ts';
import type { Terminal } from './terminal.ts';

/** Time that a run may continue after Ctrl-C before it is killed. */
const RUN_GRACE_MS = 3_000;

/**
 * Runs the poller on its schedule and shows each event that a subscriber receives. At its end the
 * last run finishes, and all published events are shown.
 *
 * The simulated service starts to change after the first successful run, which records the
 * baseline.
 *
 * @returns whether at least one run succeeded.
 */
export async function runSession(
  stack: LocalStack,
  { every, seconds }: Pick<Options, 'every' | 'seconds'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<boolean> {
  const subscriber = await stack.subscribe();
  const finished = new AbortController();
  const following = subscriber.follow(({ message }) => {
    // The poller publishes ChangeEvents only.
    terminal.event(parseJson(message) as ChangeEvent);
  }, finished.signal);

  let runCount = 0;
  let successCount = 0;
  const ticker = startTicker(every * 1000, async () => {
    const run = ++runCount;
    const start = performance.now();
    try {
      const summary = await stack.invoke();
      terminal.status(formatRun(run, summary, performance.now() - start));
      if (++successCount === 1) stack.service?.startActivity();
    } catch (error) {
      if (signal.aborted) terminal.status(`run ${run} was killed`);
      else terminal.problem(`run ${run} failed: ${(error as Error).message}`);
    }
  });

  // If following fails, the ticker stops first; the error is thrown below.
  await Promise.race([sessionEnd(seconds, signal), following.catch(() => undefined)]);
  const stopped = ticker.stop();
  if (signal.aborted) await killAfterGrace(stack, stopped);
  await stopped;
  finished.abort();
  await following;
  return successCount > 0;
}

async function sessionEnd(seconds: number | undefined, signal: AbortSignal): Promise<void> {
  const ending =
    seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  if (!ending.aborted) await once(ending, 'abort');
}

/** Kills the current run unless it ends within the grace period. */
async function killAfterGrace(stack: LocalStack, stopped: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const grace = delay(RUN_GRACE_MS, undefined, { signal: ended.signal }).catch(() => undefined);
  await Promise.race([stopped, grace]);
  ended.abort();
  await stack.killFunction();
}
