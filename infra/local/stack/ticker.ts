import { setTimeout as delay } from 'node:timers/promises';

/**
 * Does the work now and at every tick, but not at ticks during the work.
 *
 * @param work must not reject.
 * @returns `stop` resolves once the current tick is done; there are no more ticks.
 */
export function startTicker(everyMs: number, work: () => Promise<void>) {
  const stopping = new AbortController();
  const loop = async (): Promise<void> => {
    const start = performance.now();
    while (!stopping.signal.aborted) {
      await work();
      const untilTick = everyMs - ((performance.now() - start) % everyMs);
      await delay(untilTick, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = loop();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}
