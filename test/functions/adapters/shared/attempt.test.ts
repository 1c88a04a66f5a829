import { afterEach, expect, it, vi } from 'vitest';
import { Attempt, AttemptTimeoutError } from '../../../../functions/adapters/shared/attempt.ts';

afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ['has ended', () => Promise.resolve()],
  ['has failed', () => Promise.reject(new Error('reset'))],
])('an attempt that %s leaves no timer behind', async (_, work) => {
  vi.useFakeTimers();
  await new Attempt(10_000, undefined)
    .run((attempt) => attempt.untimed(Promise.resolve()).then(work))
    .catch(() => undefined);
  expect(vi.getTimerCount()).toBe(0);
});

it('an attempt is limited again after a wait that is not counted', async () => {
  vi.useFakeTimers();
  const work = async (attempt: Attempt) => {
    await attempt.untimed(vi.advanceTimersByTimeAsync(1_000_000));
    await vi.advanceTimersByTimeAsync(9_999);
    expect(attempt.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    attempt.signal.throwIfAborted();
  };
  const run = new Attempt(10_000, undefined).run(work);
  await expect(run).rejects.toThrow(new AttemptTimeoutError());
  await expect(run).rejects.toMatchObject({ name: 'AttemptTimeoutError' });
});
