import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  TimeoutError,
  unlessAborted,
  withTimeout,
} from '../../../../functions/adapters/shared/timeout.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('a call with a time', () => {
  it('is aborted when its time is up', async () => {
    vi.useFakeTimers();
    const call = withTimeout(10_000, async (signal) => {
      await vi.advanceTimersByTimeAsync(9_999);
      expect(signal.aborted).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      signal.throwIfAborted();
    });
    await expect(call).rejects.toBeInstanceOf(TimeoutError);
  });

  it('is aborted by its caller, with the reason', async () => {
    const reason = new Error('over');
    const call = withTimeout(
      10_000,
      (signal) => {
        signal.throwIfAborted();
        return Promise.resolve();
      },
      AbortSignal.abort(reason),
    );
    await expect(call).rejects.toBe(reason);
  });
});

const never = () => new Promise<never>(() => undefined);

it('settles as the promise', async () => {
  const failure = new Error('away');
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(5), signal)).toBe(5);
  expect(await unlessAborted(Promise.resolve(6), undefined)).toBe(6);
  await expect(unlessAborted(Promise.reject(failure), signal)).rejects.toBe(failure);
});

it('rejects with the reason when the signal is aborted first', async () => {
  const ends = new AbortController();
  const waiting = unlessAborted(never(), ends.signal);
  const reason = new Error('lease lost');
  ends.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
