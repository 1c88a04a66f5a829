import { expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';

it('time stands still until it is advanced', () => {
  const clock = new ManualClock(1_000);
  expect(clock.now()).toBe(1_000);
  clock.advance(500);
  expect(clock.now()).toBe(1_500);
});

it('sleepers wake when their time has come, the earliest first', async () => {
  const clock = new ManualClock(0);
  const woken: string[] = [];
  const sleep = async (name: string, milliseconds: number): Promise<void> => {
    await clock.sleep(milliseconds);
    woken.push(name);
  };
  const late = sleep('late', 300);
  const all = [sleep('second', 200), sleep('first', 100)];
  clock.advance(200);
  await Promise.all(all);
  expect(woken).toEqual(['first', 'second']);
  expect(clock.sleeping).toBe(1);
  expect(clock.advanceToNext()).toBe(true);
  await late;
  expect(clock.now()).toBe(300);
  expect(clock.advanceToNext()).toBe(false);
});

it('an aborted sleep is over at once, without an error', async () => {
  const clock = new ManualClock(0);
  const abort = new AbortController();
  const sleep = clock.sleep(1_000, abort.signal);
  abort.abort();
  await sleep;
  await clock.sleep(1_000, abort.signal);
  await clock.sleep(0);
  expect(clock.sleeping).toBe(0);
});
