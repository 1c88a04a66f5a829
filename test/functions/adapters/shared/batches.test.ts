import { describe, expect, it } from 'vitest';
import {
  inParallel,
  sendUntilDone,
  type Limiter,
} from '../../../../functions/adapters/shared/batches.ts';
import { recordingEnvironment } from './recording-environment.ts';

describe('sendUntilDone', () => {
  const policy = { maxTries: 4, baseDelayMs: 100, maxDelayMs: 250 };

  /** Sends items of which each call accepts so many. */
  async function sendAccepting(accepted: readonly number[], items: readonly string[]) {
    const environment = recordingEnvironment();
    const calls: (readonly string[])[] = [];
    const send = (batch: readonly string[]) => {
      calls.push(batch);
      return Promise.resolve(batch.slice(accepted[calls.length - 1] ?? 0));
    };
    const remaining = await sendUntilDone(items, send, policy, environment);
    return { remaining, calls, delays: environment.delays };
  }

  it('sends the remaining items until none remains, and does not wait at the end', async () => {
    expect(await sendAccepting([1, 1, 1], ['a', 'b', 'c'])).toEqual({
      remaining: [],
      calls: [['a', 'b', 'c'], ['b', 'c'], ['c']],
      delays: [100, 100],
    });
  });

  it('doubles the wait after each try without success, up to the maximum, and gives up', async () => {
    const { remaining, delays } = await sendAccepting([], ['a', 'b']);
    expect(remaining).toEqual(['a', 'b']);
    expect(delays).toEqual([100, 200, 250]);
  });

  it('counts the tries anew after each one with success', async () => {
    const { remaining, calls } = await sendAccepting([0, 0, 0, 1, 0, 0, 0, 1], ['a', 'b']);
    expect(remaining).toEqual([]);
    expect(calls).toHaveLength(8);
  });

  it('goes on after throttled tries, ever more slowly, and counts other ones alone', async () => {
    const environment = recordingEnvironment();
    const outcomes = [
      'throttled',
      'failed',
      'throttled',
      'throttled',
      'failed',
      'throttled',
      'failed',
    ];
    let sends = 0;
    const send = (batch: readonly string[]) => {
      sends += 1;
      return Promise.resolve(batch);
    };
    const isThrottled = () => outcomes[sends - 1] === 'throttled';
    const patient = { ...policy, maxTries: 3, isThrottled };
    expect(await sendUntilDone(['a'], send, patient, environment)).toEqual(['a']);
    expect(sends).toBe(7);
    expect(environment.delays).toEqual([100, 200, 250, 250, 250, 250]);
  });

  it('ends throttled tries when no time remains', async () => {
    const environment = recordingEnvironment();
    let left = 450;
    const sleep = (ms: number) => {
      left -= ms;
      return environment.sleep(ms);
    };
    const limits = { ...policy, isThrottled: () => true, leftMs: () => left };
    const send = (batch: readonly string[]) => Promise.resolve(batch);
    expect(await sendUntilDone(['a'], send, limits, { ...environment, sleep })).toEqual(['a']);
    expect(environment.delays).toEqual([100, 200]);
  });
});

describe('inParallel', () => {
  const unlimited: Limiter = { add: (task) => task() };
  const oneByOne = (): Limiter => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      add: <R>(task: () => Promise<R>): Promise<R> => {
        const next = last.then(task);
        last = next;
        return next;
      },
    };
  };

  it('returns the results in the order of the items', async () => {
    const done: number[] = [];
    const call = async (item: number): Promise<number> => {
      for (let i = 0; i < item; i++) await Promise.resolve();
      done.push(item);
      return item * 10;
    };
    expect(await inParallel([9, 5, 1], unlimited, call)).toEqual([90, 50, 10]);
    expect(done).toEqual([1, 5, 9]);
  });

  it('starts no more calls after a failure', async () => {
    const started: number[] = [];
    const call = (item: number): Promise<void> => {
      started.push(item);
      return item === 2 ? Promise.reject(new Error('two')) : Promise.resolve();
    };
    await expect(inParallel([1, 2, 3, 4], oneByOne(), call)).rejects.toThrow('two');
    expect(started).toEqual([1, 2]);
  });

  it('rejects with the first failure once the calls in flight have ended', async () => {
    const ended: string[] = [];
    const slow = Promise.withResolvers<undefined>();
    const call = async (item: string): Promise<void> => {
      if (item !== 'slow') throw new Error(item);
      await slow.promise;
      ended.push(item);
    };
    const calls = inParallel(['slow', 'first', 'second'], unlimited, call).catch(
      (error: unknown) => {
        ended.push((error as Error).message);
      },
    );
    slow.resolve(undefined);
    await calls;
    expect(ended).toEqual(['slow', 'first']);
  });
});
