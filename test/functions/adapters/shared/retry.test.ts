import { describe, expect, it, vi } from 'vitest';
import { MACHINE, retry, type RetryOptions } from '../../../../functions/adapters/shared/retry.ts';
import { recordingEnvironment } from './recording-environment.ts';

const OPTIONS = { maxTries: 4, baseDelayMs: 100, maxDelayMs: 250, isRetryable: () => true };
const transient = new Error('transient');

/** Fails so many times before it succeeds. */
const failing = (failureCount: number) => {
  const call = vi.fn(() => Promise.resolve('result'));
  for (let i = 0; i < failureCount; i += 1) call.mockRejectedValueOnce(transient);
  return call;
};

/** Retries a call that always fails. @returns the delays between its tries. */
async function delaysOf(options: Partial<RetryOptions>, random = 0): Promise<number[]> {
  const environment = recordingEnvironment(random);
  const result = retry(failing(100), { ...OPTIONS, ...options }, environment);
  await expect(result).rejects.toBe(transient);
  return environment.delays;
}

describe('retry', () => {
  it.each([0, 1, 3])('resolves with the result after %i failures', async (failureCount) => {
    const environment = recordingEnvironment();
    expect(await retry(failing(failureCount), OPTIONS, environment)).toBe('result');
    expect(environment.delays).toHaveLength(failureCount);
  });

  it('doubles the delay up to the maximum, and rejects with the last error', async () => {
    expect(await delaysOf({})).toEqual([100, 200, 250]);
  });

  it('takes up to half of a delay away as jitter', async () => {
    expect(await delaysOf({}, 0.5)).toEqual([75, 150, 187.5]);
  });

  it('does not repeat an error that is not retryable', async () => {
    expect(await delaysOf({ isRetryable: (error) => error !== transient })).toEqual([]);
  });

  it('waits as long as the call asks for, but not less than the delay', async () => {
    expect(await delaysOf({ retryAfterMs: () => 150 })).toEqual([150, 200, 250]);
  });

  it('fails at once when the call asks for more than the maximum', async () => {
    expect(await delaysOf({ retryAfterMs: () => 151, maxRetryAfterMs: 150 })).toEqual([]);
    expect(await delaysOf({ retryAfterMs: () => 150, maxRetryAfterMs: 150 })).toHaveLength(3);
  });

  it('gives up before a delay that is longer than the time that remains', async () => {
    expect(await delaysOf({ leftMs: () => 200 })).toEqual([100, 200]);
  });

  it('stops waiting when the signal is aborted, and rejects with its reason', async () => {
    const reason = new Error('over');
    const controller = new AbortController();
    const call = failing(1);
    const result = retry(call, {
      ...OPTIONS,
      baseDelayMs: 1e6,
      maxDelayMs: 1e6,
      signal: controller.signal,
    });
    await vi.waitFor(() => {
      expect(call).toHaveBeenCalled();
    });
    controller.abort(reason);
    await expect(result).rejects.toBe(reason);
    expect(call).toHaveBeenCalledTimes(1);
  });
});

describe('the machine', () => {
  it('sleeps for the time, and draws numbers from 0 to below 1', async () => {
    const start = performance.now();
    await MACHINE.sleep(20);
    expect(performance.now() - start).toBeGreaterThan(18);
    expect(MACHINE.random()).toBeGreaterThanOrEqual(0);
    expect(MACHINE.random()).toBeLessThan(1);
  });
});
