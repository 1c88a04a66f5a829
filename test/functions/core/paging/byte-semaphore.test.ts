import { describe, expect, it } from 'vitest';
import { ByteSemaphore, type Permit } from '../../../../functions/core/paging/byte-semaphore.ts';
import { settlePromises } from '../../../support/manual-clock.ts';
import { neverAborted } from '../../../support/paginator-setup.ts';

/** Acquires permits, and records their names when they are granted. */
function makeRecorder(semaphore: ByteSemaphore) {
  const names: string[] = [];
  const granted = async () => {
    await settlePromises();
    return names;
  };
  const acquire = async (name: string, bytes: number, signal = neverAborted): Promise<Permit> => {
    const permit = await semaphore.acquire(bytes, signal);
    names.push(name);
    return permit;
  };
  return { granted, acquire };
}

describe('a byte semaphore', () => {
  it('grants at once if the bytes fit', async () => {
    const semaphore = new ByteSemaphore(10);
    const { granted, acquire } = makeRecorder(semaphore);
    await acquire('a', 4);
    await acquire('b', 6);
    expect(await granted()).toEqual(['a', 'b']);
    expect(semaphore.held).toBe(10);
  });

  it('grants waiting requests in order of arrival', async () => {
    const { granted, acquire } = makeRecorder(new ByteSemaphore(10));
    const first = await acquire('first', 8);
    void acquire('large', 9);
    void acquire('small', 1);
    expect(await granted()).toEqual(['first']);
    first.resize(0);
    expect(await granted()).toEqual(['first', 'large', 'small']);
  });

  it('grants a request larger than the budget when nothing else is held', async () => {
    const { granted, acquire } = makeRecorder(new ByteSemaphore(10));
    const first = await acquire('first', 1);
    const giant = acquire('giant', 99);
    void acquire('next', 1);
    expect(await granted()).toEqual(['first']);
    first.resize(0);
    expect(await granted()).toEqual(['first', 'giant']);
    (await giant).resize(0);
    expect(await granted()).toEqual(['first', 'giant', 'next']);
  });

  it('grants nothing while a corrected permit exceeds the budget', async () => {
    const semaphore = new ByteSemaphore(10);
    const { granted, acquire } = makeRecorder(semaphore);
    const first = await acquire('first', 1);
    first.resize(12);
    void acquire('next', 1);
    expect(await granted()).toEqual(['first']);
    expect(semaphore.held).toBe(12);
    first.resize(9);
    expect(await granted()).toEqual(['first', 'next']);
  });

  it('releases a permit once, however often it is released', async () => {
    const semaphore = new ByteSemaphore(10);
    const permit = await semaphore.acquire(6, neverAborted);
    await semaphore.acquire(3, neverAborted);
    permit.resize(0);
    permit.resize(0);
    expect(semaphore.held).toBe(3);
  });
});

describe('an aborted request', () => {
  const reason = new Error('no longer polled');

  it('rejects with the reason, holds nothing, and unblocks later requests', async () => {
    const semaphore = new ByteSemaphore(10);
    const { granted, acquire } = makeRecorder(semaphore);
    const leaving = new AbortController();
    const first = await acquire('first', 6);
    const waiting = acquire('waiting', 9, leaving.signal);
    void acquire('next', 4);
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(await granted()).toEqual(['first', 'next']);
    first.resize(0);
    expect(semaphore.held).toBe(4);
  });

  it('holds nothing if the signal was aborted before', async () => {
    const semaphore = new ByteSemaphore(10);
    await expect(semaphore.acquire(1, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(semaphore.held).toBe(0);
  });
});
