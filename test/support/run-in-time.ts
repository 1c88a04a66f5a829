import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { settlePromises } from './manual-clock.ts';
import type { Site } from './site.ts';

/** A run in virtual time, in which time passes whenever everybody sleeps. The next one may start `everyMs` later. */
export async function runInTime(
  site: Site,
  api: Ports['api'],
  { everyMs = 60_000, timeoutMs = 55_000, ...options }: InTime = {},
): Promise<void> {
  const startedAt = site.clock.now();
  const remainingMs = (): number => startedAt + timeoutMs - site.clock.now();
  let isOver = false;
  const run = site
    .poll({ remainingMs, everyMs, ...options }, { api })
    .finally(() => (isOver = true));
  for (;;) {
    for (let n = 0; n < 20 && !isOver; n += 1) await settlePromises();
    if (isOver) break;
    if (!site.clock.advanceToNext()) throw new Error('nobody sleeps');
  }
  await run;
  site.clock.advance(startedAt + everyMs - site.clock.now());
}

interface InTime extends Partial<RunOptions> {
  /** Time until the run is killed. */
  readonly timeoutMs?: number;
}
