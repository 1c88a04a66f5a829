import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startTicker } from '../../../../infra/local/stack/ticker.ts';

it('a ticker works now and at every tick, skips ticks during the work, and stops after it', async () => {
  let running = 0;
  let done = 0;
  const ticker = startTicker(1, async () => {
    running += 1;
    expect(running).toBe(1);
    await delay(5);
    running -= 1;
    done += 1;
  });
  expect(running).toBe(1);
  await expect.poll(() => done).toBeGreaterThan(2);
  await ticker.stop();
  expect(running).toBe(0);
  const before = done;
  await delay(20);
  expect(done).toBe(before);
});
