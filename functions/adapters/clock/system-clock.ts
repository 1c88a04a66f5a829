import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../../core/ports/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),

  async sleep(milliseconds, signal) {
    try {
      await setTimeout(Math.max(milliseconds, 0), undefined, signal && { signal });
    } catch (error) {
      // An aborted wait resolves.
      if (signal?.aborted !== true) throw error;
    }
  },
};
