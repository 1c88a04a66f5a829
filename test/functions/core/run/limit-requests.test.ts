import { expect, it } from 'vitest';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { limitRequests } from '../../../../functions/core/run/limit-requests.ts';

const DEADLINE = 9_000;
const PAGE = { path: '/projects/p/floorplans', perPage: 2 };
const ENTITY = { path: '/projects/p/floorplans/f' };

it('A request has to start before the run has to stop', async () => {
  const requests: unknown[] = [];
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
  const limited = limitRequests(api, () => DEADLINE);
  await limited.fetchPage(PAGE);
  await limited.fetchEntity?.(ENTITY);
  expect(requests).toEqual([PAGE, ENTITY].map((each) => ({ ...each, startBefore: DEADLINE })));
});

it('A service without entities by id and without a rate limit has none here either', async () => {
  const api: ServiceApi = { fetchPage: () => Promise.reject(new Error('unused')) };
  const limited = limitRequests(api, () => DEADLINE);
  expect(Object.keys(limited)).toEqual(['fetchPage']);
  await expect(limited.fetchPage(PAGE)).rejects.toThrow('unused');
});
