import { expect, it, vi } from 'vitest';
import { SharedCall } from '../../../../functions/adapters/shared/shared-call.ts';

/** A call whose end the test decides. */
function makeCall() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const call = vi.fn<(signal: AbortSignal) => Promise<string>>(() => promise);
  return { call, resolve, reject };
}

it('is made once for all callers that wait for it, and again for those after them', async () => {
  const shared = new SharedCall<string>();
  const { call, resolve } = makeCall();
  const results = Promise.all([shared.join(call, undefined), shared.join(call, undefined)]);
  expect(shared.isUnderWay).toBe(true);
  resolve('done');
  expect(await results).toEqual(['done', 'done']);
  expect(call).toHaveBeenCalledTimes(1);
  expect(shared.isUnderWay).toBe(false);
  await shared.join(call, undefined);
  expect(call).toHaveBeenCalledTimes(2);
});

it('fails for all callers, and is made again for those after them', async () => {
  const shared = new SharedCall<string>();
  const { call, reject } = makeCall();
  const results = [shared.join(call, undefined), shared.join(call, undefined)];
  reject(new Error('refused'));
  for (const result of results) await expect(result).rejects.toThrow('refused');
  expect(await shared.join(() => Promise.resolve('done'), undefined)).toBe('done');
});

it('is aborted when the last of its callers has left', async () => {
  const shared = new SharedCall<string>();
  const { call } = makeCall();
  const [first, second] = [new AbortController(), new AbortController()];
  const results = [first, second].map(({ signal }) => shared.join(call, signal));
  const signal = call.mock.calls[0]?.[0];
  first.abort(new Error('first'));
  await expect(results[0]).rejects.toThrow('first');
  expect(signal?.aborted).toBe(false);
  second.abort(new Error('second'));
  await expect(results[1]).rejects.toThrow('second');
  expect(signal?.aborted).toBe(true);
  expect(shared.isUnderWay).toBe(false);
});

it('is not made for a caller that has left before', async () => {
  const { call } = makeCall();
  const signal = AbortSignal.abort(new Error('left'));
  await expect(new SharedCall<string>().join(call, signal)).rejects.toThrow('left');
  expect(call).not.toHaveBeenCalled();
});
