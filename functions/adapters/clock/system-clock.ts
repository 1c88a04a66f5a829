import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../core/ports/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),

  stopwatch() {
    const [startedAt, started] = [Date.now(), performance.now()];
    // The one may be set back, and the other stand still with its host.
    return () => Math.max(Date.now() - startedAt, performance.now() - started);
  },

  async sleep(milliseconds, signal) {
    try {
      await setTimeout(Math.max(milliseconds, 0), undefined, signal && { signal });
    } catch (error) {
      // An aborted wait resolves.
      if (signal?.aborted !== true) throw error;
    }
  },
};
