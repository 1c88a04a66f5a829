import { describe, expect, it } from 'vitest';
import { WorkQueue } from '../../../../functions/core/run/work-queue.ts';

const never = new AbortController().signal;

/** Work that ends when told to. */
function handWork() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (item: string) => {
    begun.push(item);
    return new Promise<void>((end) => ends.set(item, end));
  };
  const end = async (item: string) => {
    ends.get(item)?.();
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

describe('a work queue', () => {
  it('is finished at once when there is nothing to do', async () => {
    await expect(new WorkQueue(() => Promise.resolve(), 2, never).finish()).resolves.toBe(0);
  });

  it('works on as many items as it may side by side', async () => {
    const { begun, work, end } = handWork();
    const queue = new WorkQueue(work, 2, never);
    queue.add(['a', 'b', 'c']);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('a');
    await end('c');
    await expect(queue.finish()).resolves.toBe(0);
  });

  it('begins what is added first before what waits', async () => {
    const { begun, work, end } = handWork();
    const queue = new WorkQueue(work, 1, never);
    queue.add(['a', 'b', 'c']);
    queue.addFirst(['d', 'c']);
    for (const item of ['a', 'd', 'c', 'b']) await end(item);
    expect(begun).toEqual(['a', 'd', 'c', 'b']);
  });

  it('begins nothing more when nothing more may, and tells how much is left', async () => {
    const { begun, work, end } = handWork();
    let left = 2;
    const queue = new WorkQueue(work, 3, never, () => left-- > 0);
    queue.add(['a', 'b', 'c', 'd']);
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    await end('b');
    await expect(queue.finish()).resolves.toBe(2);
  });

  it('is finished when nothing may begin at all', async () => {
    const queue = new WorkQueue(handWork().work, 1, never, () => false);
    queue.add(['a']);
    await expect(queue.finish()).resolves.toBe(1);
  });

  it('begins what is added meanwhile without waiting for what is being worked on', async () => {
    const { begun, work, end } = handWork();
    const queue = new WorkQueue(work, 2, never);
    queue.add(['a']);
    const finished = queue.finish();
    queue.add(['b']);
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    await end('b');
    await expect(finished).resolves.toBe(0);
  });

  it('says whether anything waits for its turn', async () => {
    const { work, end } = handWork();
    const queue = new WorkQueue(work, 1, never);
    expect(queue.isAnyWaiting).toBe(false);
    queue.add(['a']);
    expect(queue.isAnyWaiting).toBe(false);
    queue.add(['b']);
    expect(queue.isAnyWaiting).toBe(true);
    await end('a');
    expect(queue.isAnyWaiting).toBe(false);
  });

  it('never works on one item twice at a time, but once more if it was added meanwhile', async () => {
    const { begun, work, end } = handWork();
    const queue = new WorkQueue(work, 3, never);
    queue.add(['a']);
    queue.add(['a']);
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
    await end('a');
    await expect(queue.finish()).resolves.toBe(0);
  });

  it('begins nothing more once it is stopped, and says how much was left', async () => {
    const { begun, work, end } = handWork();
    const stop = new AbortController();
    const queue = new WorkQueue(work, 1, stop.signal);
    queue.add(['a', 'b', 'c']);
    const finished = queue.finish();
    stop.abort();
    await end('a');
    await expect(finished).resolves.toBe(2);
    expect(begun).toEqual(['a']);
  });

  it('fails when the work does, once all that was begun has ended', async () => {
    const { begun, work, end } = handWork();
    const queue = new WorkQueue(
      (item: string) => (item === 'bad' ? Promise.reject(new Error('broken')) : work(item)),
      2,
      never,
    );
    queue.add(['bad', 'a', 'b']);
    let ended = false;
    const finished = queue.finish().finally(() => (ended = true));
    await end('a');
    expect([begun, ended]).toEqual([['a', 'b'], false]);
    void end('b');
    await expect(finished).rejects.toThrow('broken');
  });
});
