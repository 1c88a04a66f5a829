import { describe, expect, it } from 'vitest';
import { PollQueue, type PollQueueOptions } from '../../../../functions/core/run/poll-queue.ts';

const never = new AbortController().signal;

/** A queue whose work ends when the test says so. */
function makeQueue(options: Partial<PollQueueOptions> = {}) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const poll = (item: string) => {
    started.push(item);
    if (item === 'bad') return Promise.reject(new Error('broken'));
    return new Promise<void>((end) => ends.set(item, end));
  };
  const end = async (item: string) => {
    ends.get(item)?.();
    await new Promise(setImmediate);
  };
  const defaults = { concurrency: 1, signal: never, canStart: () => true, isLeft: () => false };
  const queue = new PollQueue({ poll, ...defaults, ...options });
  return { queue, started, end };
}

describe('a poll queue', () => {
  it('processes as many items concurrently as allowed', async () => {
    const { queue, started, end } = makeQueue({ concurrency: 2 });
    queue.add(['a', 'b', 'c']);
    expect(started).toEqual(['a', 'b']);
    await end('b');
    expect(started).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    await expect(queue.finish()).resolves.toEqual([]);
  });

  it('starts items that are added first before waiting ones', async () => {
    const { queue, started, end } = makeQueue();
    queue.add(['a', 'b', 'c']);
    queue.addFirst(['d', 'c']);
    for (const item of ['a', 'd', 'c', 'b']) await end(item);
    expect(started).toEqual(['a', 'd', 'c', 'b']);
  });

  it('starts nothing while it cannot start, and returns the remaining items', async () => {
    let remaining = 2;
    const { queue, started, end } = makeQueue({ concurrency: 3, canStart: () => remaining-- > 0 });
    queue.add(['a', 'b', 'c', 'd']);
    expect(started).toEqual(['a', 'b']);
    await end('a');
    await end('b');
    await expect(queue.finish()).resolves.toEqual(['c', 'd']);
  });

  it('starts fewer items side by side while no more can start', async () => {
    const canStart = (activeCount: number): boolean => activeCount < 2;
    const { queue, started, end } = makeQueue({ concurrency: 3, canStart });
    queue.add(['a', 'b', 'c']);
    expect(started).toEqual(['a', 'b']);
    await end('a');
    expect(started).toEqual(['a', 'b', 'c']);
  });

  it('says whether items wait', async () => {
    const { queue, end } = makeQueue();
    expect(queue.hasWaiting).toBe(false);
    queue.add(['a']);
    expect(queue.hasWaiting).toBe(false);
    queue.add(['b']);
    expect(queue.hasWaiting).toBe(true);
    await end('a');
    expect(queue.hasWaiting).toBe(false);
  });

  it('leaves items alone, and goes on with those behind them', async () => {
    const { queue, started, end } = makeQueue({ isLeft: (item) => item !== 'c' });
    queue.add(['a', 'b', 'c']);
    await end('c');
    expect(started).toEqual(['c']);
    await expect(queue.finish()).resolves.toEqual(['a', 'b']);
  });

  it('never processes an item twice at a time, but again if it is added meanwhile', async () => {
    const { queue, started, end } = makeQueue({ concurrency: 3 });
    queue.add(['a']);
    queue.add(['a']);
    expect(started).toEqual(['a']);
    await end('a');
    expect(started).toEqual(['a', 'a']);
    await end('a');
    await expect(queue.finish()).resolves.toEqual([]);
  });

  it('starts nothing after the abort, and returns the remaining items', async () => {
    const stop = new AbortController();
    const { queue, started, end } = makeQueue({ signal: stop.signal });
    queue.add(['a', 'b', 'c']);
    const finished = queue.finish();
    stop.abort();
    await end('a');
    await expect(finished).resolves.toEqual(['b', 'c']);
    expect(started).toEqual(['a']);
  });

  it('rejects with an error of the work, once all started items have ended', async () => {
    const { queue, started, end } = makeQueue({ concurrency: 2 });
    queue.add(['bad', 'a', 'b']);
    let ended = false;
    const finished = queue.finish().finally(() => (ended = true));
    await end('a');
    expect([started, ended]).toEqual([['bad', 'a', 'b'], false]);
    void end('b');
    await expect(finished).rejects.toThrow('broken');
  });
});
