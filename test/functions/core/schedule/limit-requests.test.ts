import { expect, it } from 'vitest';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { limitRequests } from '../../../../functions/core/schedule/limit-requests.ts';

const DEADLINE = 9_000;
const PAGE = { path: '/projects/p/floorplans', perPage: 2 };
const ENTITY = { path: '/projects/p/floorplans/f' };

it('A request has to start before the run has to stop, and has a sample for its path', async () => {
  const requests: { readonly sample?: () => unknown }[] = [];
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
    sampleFor: (path) => ({ path: `/other than ${path}`, perPage: 1 }),
  });
  await limited.fetchPage(PAGE);
  await limited.fetchEntity?.(ENTITY);
  const sample = expect.any(Function) as () => unknown;
  expect(requests).toEqual([
    { ...PAGE, startBefore: DEADLINE, sample },
    { ...ENTITY, startBefore: DEADLINE, sample },
  ]);
  expect(requests.map(({ sample }) => sample?.())).toEqual([
    { path: `/other than ${PAGE.path}`, perPage: 1 },
    { path: `/other than ${ENTITY.path}`, perPage: 1 },
  ]);
});

it('A service without entities by id and without a rate limit has none here either', () => {
  const api: ServiceApi = { fetchPage: () => Promise.reject(new Error('unused')) };
  const limits = { deadline: () => DEADLINE, sampleFor: () => undefined };
  expect(Object.keys(limitRequests(api, limits))).toEqual(['fetchPage']);
});
