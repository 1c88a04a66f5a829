import { afterEach, expect, it, vi } from 'vitest';
import { Attempt } from '../../../../functions/adapters/shared/attempt.ts';

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
