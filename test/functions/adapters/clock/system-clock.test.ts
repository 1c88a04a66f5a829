import { expect, it } from 'vitest';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';

it('tells the time of the machine in milliseconds since 1970', () => {
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
