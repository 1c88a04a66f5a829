import { describe, expect, test } from 'vitest';
import { ByteSemaphore, type Permit } from '../../../../functions/core/paging/byte-semaphore.ts';

const never = new AbortController().signal;

/** Takes bytes, and notes the name when there was room. */
function noting(budget: ByteSemaphore) {
  const grant: string[] = [];
  const acquire = async (name: string, bytes: number, signal = never): Promise<Permit> => {
    const share = await budget.acquire(bytes, signal);
    grant.push(name);
    return share;
  };
  /** Lets everything happen that waits for nothing but its turn. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { grant, acquire, settle };
}

describe('a byte budget', () => {
  test('lets in what fits at once', async () => {
    const budget = new ByteSemaphore(10);
    const { grant, acquire } = noting(budget);

    await acquire('a', 4);
    await acquire('b', 6);

    expect(grant).toEqual(['a', 'b']);
    expect(budget.held).toBe(10);
  });

  test('lets in what waits when there is room, in the order they came', async () => {
    const { grant, acquire, settle } = noting(new ByteSemaphore(10));
    const first = await acquire('first', 8);
    void acquire('large', 9);
    void acquire('small', 1);

    await settle();
    expect(grant).toEqual(['first']);
    first.resize(0);
    await settle();

    expect(grant).toEqual(['first', 'large', 'small']);
  });

  test('lets in one that is larger than all of it when nothing else is held', async () => {
    const { grant, acquire, settle } = noting(new ByteSemaphore(10));
    const first = await acquire('first', 1);
    const giant = acquire('giant', 99);
    void acquire('next', 1);

    await settle();
    expect(grant).toEqual(['first']);
    first.resize(0);
    await settle();
    expect(grant).toEqual(['first', 'giant']);
    (await giant).resize(0);
    await settle();

    expect(grant).toEqual(['first', 'giant', 'next']);
  });

  test('lets in nobody while a share that turned out larger is over it', async () => {
    const budget = new ByteSemaphore(10);
    const { grant, acquire, settle } = noting(budget);
    const first = await acquire('first', 1);
    first.resize(12);
    void acquire('next', 1);

    await settle();
    expect(grant).toEqual(['first']);
    expect(budget.held).toBe(12);
    first.resize(9);
    await settle();

    expect(grant).toEqual(['first', 'next']);
  });

  test('has a share given back once, however often that is said', async () => {
    const budget = new ByteSemaphore(10);
    const share = await budget.acquire(6, never);
    await budget.acquire(3, never);

    share.resize(0);
    share.resize(0);

    expect(budget.held).toBe(3);
  });
});

describe('one that waits and is aborted', () => {
  const reason = new Error('the feed is left');

  test('rejects with the reason, holds nothing, and makes way for those behind it', async () => {
    const budget = new ByteSemaphore(10);
    const { grant, acquire, settle } = noting(budget);
    const leaving = new AbortController();
    const first = await acquire('first', 6);
    const waiting = acquire('waiting', 9, leaving.signal);
    void acquire('next', 4);

    leaving.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await settle();
    expect(grant).toEqual(['first', 'next']);
    first.resize(0);
    expect(budget.held).toBe(4);
  });

  test('before it began takes nothing', async () => {
    const budget = new ByteSemaphore(10);

    await expect(budget.acquire(1, AbortSignal.abort(reason))).rejects.toBe(reason);

    expect(budget.held).toBe(0);
  });
});
