import { expect, it } from 'vitest';
import { unlessAborted } from '../../../../functions/adapters/shared/unless-aborted.ts';

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

it('leaves no listener behind, since a run has one signal for all of its calls', async () => {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (type: string, listener: unknown) => listeners.add([type, listener]);
  signal.removeEventListener = (type: string, listener: unknown) => {
    for (const each of listeners) {
      const [name, added] = each as [string, unknown];
      if (name === type && added === listener) listeners.delete(each);
    }
  };
  const waiting = unlessAborted(Promise.resolve(5), signal);
  expect(listeners.size).toBe(1);
  await waiting;
  expect(listeners.size).toBe(0);
});
