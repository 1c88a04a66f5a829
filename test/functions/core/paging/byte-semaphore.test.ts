import { describe, expect, test } from 'vitest';
import { ByteBudget, type Share } from '../../../../functions/core/paging/byte-semaphore.ts';

const never = new AbortController().signal;

/** Takes bytes, and notes the name when there was room. */
function noting(budget: ByteBudget) {
  const letIn: string[] = [];
  const take = async (name: string, bytes: number, signal = never): Promise<Share> => {
    const share = await budget.take(bytes, signal);
    letIn.push(name);
    return share;
  };
  /** Lets everything happen that waits for nothing but its turn. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { letIn, take, settle };
}

describe('a byte budget', () => {
  test('lets in what fits at once', async () => {
    const budget = new ByteBudget(10);
    const { letIn, take } = noting(budget);

    await take('a', 4);
    await take('b', 6);

    expect(letIn).toEqual(['a', 'b']);
    expect(budget.held).toBe(10);
  });

  test('lets in what waits when there is room, in the order they came', async () => {
    const { letIn, take, settle } = noting(new ByteBudget(10));
    const first = await take('first', 8);
    void take('large', 9);
    void take('small', 1);

    await settle();
    expect(letIn).toEqual(['first']);
    first.correctTo(0);
    await settle();

    expect(letIn).toEqual(['first', 'large', 'small']);
  });

  test('lets in one that is larger than all of it when nothing else is held', async () => {
    const { letIn, take, settle } = noting(new ByteBudget(10));
    const first = await take('first', 1);
    const giant = take('giant', 99);
    void take('next', 1);

    await settle();
    expect(letIn).toEqual(['first']);
    first.correctTo(0);
    await settle();
    expect(letIn).toEqual(['first', 'giant']);
    (await giant).correctTo(0);
    await settle();

    expect(letIn).toEqual(['first', 'giant', 'next']);
  });

  test('lets in nobody while a share that turned out larger is over it', async () => {
    const budget = new ByteBudget(10);
    const { letIn, take, settle } = noting(budget);
    const first = await take('first', 1);
    first.correctTo(12);
    void take('next', 1);

    await settle();
    expect(letIn).toEqual(['first']);
    expect(budget.held).toBe(12);
    first.correctTo(9);
    await settle();

    expect(letIn).toEqual(['first', 'next']);
  });

  test('has a share given back once, however often that is said', async () => {
    const budget = new ByteBudget(10);
    const share = await budget.take(6, never);
    await budget.take(3, never);

    share.correctTo(0);
    share.correctTo(0);

    expect(budget.held).toBe(3);
  });
});

describe('one that waits and is aborted', () => {
  const reason = new Error('the feed is left');

  test('rejects with the reason, holds nothing, and makes way for those behind it', async () => {
    const budget = new ByteBudget(10);
    const { letIn, take, settle } = noting(budget);
    const leaving = new AbortController();
    const first = await take('first', 6);
    const waiting = take('waiting', 9, leaving.signal);
    void take('next', 4);

    leaving.abort(reason);

    await expect(waiting).rejects.toBe(reason);
    await settle();
    expect(letIn).toEqual(['first', 'next']);
    first.correctTo(0);
    expect(budget.held).toBe(4);
  });

  test('before it began takes nothing', async () => {
    const budget = new ByteBudget(10);

    await expect(budget.take(1, AbortSignal.abort(reason))).rejects.toBe(reason);

    expect(budget.held).toBe(0);
  });
});
