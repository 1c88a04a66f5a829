import { describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import { type Clock } from '../../functions/core/ports/clock.ts';
import { ManualClock } from '../support/manual-clock.ts';

/** A clock, and a way to let its time pass. */
interface OpenClock {
  readonly clock: Clock;
  readonly pass: () => void;
}

describe.each<[string, () => OpenClock]>([
  ['systemClock', () => ({ clock: systemClock, pass: () => undefined })],
  [
    'ManualClock',
    () => {
      const clock = new ManualClock();
      return {
        clock,
        pass: () => {
          clock.advanceToNext();
        },
      };
    },
  ],
])('%s as a clock', (_, open) => {
  it('sleeps at least as long as asked', async () => {
    const { clock, pass } = open();
    const before = clock.now();
    const sleeping = clock.sleep(20);
    pass();
    await sleeping;
    // A timer of the machine may be early by the part of a millisecond that its clock cuts off.
    expect(clock.now() - before).toBeGreaterThanOrEqual(19);
  });

  it.each([0, -5, Number.NEGATIVE_INFINITY])('does not sleep for %d milliseconds', async (time) => {
    await expect(open().clock.sleep(time)).resolves.toBeUndefined();
  });

  it('wakes on abort, without failing', async () => {
    const { clock } = open();
    const waking = new AbortController();
    const sleeping = clock.sleep(1_000_000, waking.signal);
    waking.abort();
    await expect(sleeping).resolves.toBeUndefined();
    await expect(clock.sleep(1_000_000, waking.signal)).resolves.toBeUndefined();
  });
});
