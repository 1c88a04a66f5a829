import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_RETRY,
  inParallel,
  packBatches,
  sendUntilDone,
  type Limiter,
} from '../../../../functions/adapters/shared/batches.ts';

describe('packing batches', () => {
  test('keeps all items in order, within both limits, and fills each batch as far as it goes', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 });
    const limits = fc.record({
      maxItems: fc.integer({ min: 1, max: 12 }),
      maxBytes: fc.integer({ min: 60, max: 200 }),
    });
    fc.assert(
      fc.property(sizes, limits, (items, { maxItems, maxBytes }) => {
        const batches = packBatches(items, { maxItems, maxBytes, bytesOf: (size) => size });
        expect(batches.flat()).toEqual(items);
        batches.forEach((batch, i) => {
          const [sum, next] = [sumOf(batch), batches[i + 1]?.[0]];
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(maxItems);
          expect(sum).toBeLessThanOrEqual(maxBytes);
          if (next !== undefined) {
            expect(batch.length === maxItems || sum + next > maxBytes).toBe(true);
          }
        });
      }),
    );
  });

  test('an item over the limit alone gets a batch of its own', () => {
    const limits = { maxItems: 10, maxBytes: 5, bytesOf: (size: number) => size };
    expect(packBatches([1, 9, 2], limits)).toEqual([[1], [9], [2]]);
    expect(packBatches([9, 1, 2], limits)).toEqual([[9], [1, 2]]);
  });

  test('without a byte limit only the number counts', () => {
    expect(packBatches(['a', 'b', 'c'], { maxItems: 2 })).toEqual([['a', 'b'], ['c']]);
  });
});

describe('sending until done', () => {
  /** A world in which the waits are written down instead. */
  function worldOf(random = 0): {
    waits: number[];
    sleep: (ms: number) => Promise<void>;
    random: () => number;
  } {
    const waits: number[] = [];
    return {
      waits,
      random: () => random,
      sleep: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
    };
  }
  const retry = { maxTries: 4, baseDelayMs: 100, maxDelayMs: 250 };

  test('sends nothing when there is nothing', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('must not be called'));
    expect(await sendUntilDone([], fail, retry, worldOf())).toEqual([]);
  });

  test('sends what is left until nothing is, without a wait at the end', async () => {
    const sent: string[][] = [];
    const world = worldOf();
    const send = (items: readonly string[]): Promise<string[]> => {
      sent.push([...items]);
      return Promise.resolve(items.slice(1));
    };
    expect(await sendUntilDone(['a', 'b', 'c'], send, retry, world)).toEqual([]);
    expect(sent).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
    expect(world.waits).toEqual([100, 100]);
  });

  test('waits twice as long after each try that achieved nothing, up to the longest wait', async () => {
    const world = worldOf();
    const nothing = (items: readonly string[]): Promise<readonly string[]> =>
      Promise.resolve(items);
    expect(await sendUntilDone(['a', 'b'], nothing, retry, world)).toEqual(['a', 'b']);
    expect(world.waits).toEqual([100, 200, 250]);
  });

  test('takes up to half of a wait away by chance', async () => {
    const world = worldOf(0.5);
    await sendUntilDone(['a'], (items) => Promise.resolve(items), retry, world);
    expect(world.waits).toEqual([75, 150, 187.5]);
  });

  test('counts tries anew after each one that achieved something', async () => {
    const accepts = [0, 0, 0, 1, 0, 0, 0, 1];
    let calls = 0;
    const send = (items: readonly string[]): Promise<string[]> =>
      Promise.resolve(items.slice(accepts[calls++] ?? 0));
    expect(await sendUntilDone(['a', 'b'], send, retry, worldOf())).toEqual([]);
    expect(calls).toBe(8);
  });

  test('ends with the error of a send', async () => {
    const broken = (): Promise<never> => Promise.reject(new Error('broken'));
    await expect(sendUntilDone(['a'], broken, retry, worldOf())).rejects.toThrow('broken');
  });

  test('by default gives up within Lambda-sized patience', async () => {
    const world = worldOf();
    await sendUntilDone(['a'], (items) => Promise.resolve(items), DEFAULT_RETRY, world);
    expect(world.waits).toEqual([50, 100, 200, 400, 800, 1_600]);
  });
});

describe('calls in parallel', () => {
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

  test('give their results in the order of the items', async () => {
    const done: number[] = [];
    const call = async (item: number): Promise<number> => {
      for (let i = 0; i < item; i++) await Promise.resolve();
      done.push(item);
      return item * 10;
    };
    expect(await inParallel([9, 5, 1], unlimited, call)).toEqual([90, 50, 10]);
    expect(done).toEqual([1, 5, 9]);
  });

  test('give nothing for nothing', async () => {
    expect(await inParallel([], unlimited, () => Promise.resolve('result'))).toEqual([]);
  });

  test('begin no more after a failure', async () => {
    const begun: number[] = [];
    const call = (item: number): Promise<void> => {
      begun.push(item);
      return item === 2 ? Promise.reject(new Error('two')) : Promise.resolve();
    };
    await expect(inParallel([1, 2, 3, 4], oneByOne(), call)).rejects.toThrow('two');
    expect(begun).toEqual([1, 2]);
  });

  test('reject with the first failure once those under way have ended', async () => {
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

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
