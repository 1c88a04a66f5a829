import { expect, it, vi } from 'vitest';
import { RateLimitedError } from '../../../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { limitRequests } from '../../../../functions/core/schedule/limit-requests.ts';

const DEADLINE = 9_000;
const PAGE = { path: '/projects/p/floorplans', perPage: 2 };
const ENTITY = { path: '/projects/p/floorplans/f' };

it('A request has to start before the run has to stop, and has samples for its path', async () => {
  const requests: { readonly samples?: () => unknown }[] = [];
  const [read, limitedOne] = [vi.fn(), vi.fn()];
  const api: ServiceApi = {
    fetchPage: (request) => {
      requests.push(request);
      return Promise.resolve({ entities: [], invalid: [], hasMore: false });
    },
    fetchEntity: (request) => {
      requests.push(request);
      return Promise.resolve({ verdict: 'missing' });
    },
  };
  const limited = limitRequests(api, {
    deadline: () => DEADLINE,
    samplesFor: (path) => [{ path: `/other than ${path}`, perPage: 1 }],
    wasLimited: (path) => path === PAGE.path,
    samples: { read, limited: limitedOne },
  });
  await limited.fetchPage(PAGE);
  await limited.fetchEntity?.(ENTITY);
  const samples = expect.any(Function) as () => unknown;
  expect(requests).toEqual([
    { ...PAGE, startBefore: DEADLINE, samples, wasLimited: true },
    { ...ENTITY, startBefore: DEADLINE, samples, wasLimited: false },
  ]);
  expect(requests.map(({ samples }) => samples?.())).toEqual([
    [{ path: `/other than ${PAGE.path}`, perPage: 1 }],
    [{ path: `/other than ${ENTITY.path}`, perPage: 1 }],
  ]);
  expect(read.mock.calls).toEqual([[PAGE.path]]);
});

it('A service without entities by id and without a rate limit has none here either', async () => {
  const api: ServiceApi = { fetchPage: () => Promise.reject(new Error('unused')) };
  const limits = {
    ...{ deadline: () => DEADLINE, samplesFor: () => [], wasLimited: () => false },
    samples: { read: vi.fn(), limited: vi.fn() },
  };
  const limited = limitRequests(api, limits);
  expect(Object.keys(limited)).toEqual(['fetchPage']);
  await expect(limited.fetchPage(PAGE)).rejects.toThrow('unused');
  expect(limits.samples.read).not.toHaveBeenCalled();
  expect(limits.samples.limited).not.toHaveBeenCalled();
});

it.each([
  ['an answer 429', true],
  ['a request that was not sent', false],
])('A limit of all is told to the samples if it is %s', async (_, isAnswer) => {
  const failure = new RateLimitedError('429', { hint: 'Wait.', isAnswer });
  const samples = { read: vi.fn(), limited: vi.fn() };
  const api: ServiceApi = { fetchPage: () => Promise.reject(failure) };
  const rest = { deadline: () => DEADLINE, samplesFor: () => [], wasLimited: () => false };
  await expect(limitRequests(api, { ...rest, samples }).fetchPage(PAGE)).rejects.toBe(failure);
  expect(samples.limited).toHaveBeenCalledTimes(isAnswer ? 1 : 0);
});
