import { describe, expect, it } from 'vitest';
import { RateLimitedError, ServiceError } from '../../../../functions/core/model/errors.ts';
import type { ServiceApi } from '../../../../functions/core/ports/service-api.ts';
import { limitRequests } from '../../../../functions/core/schedule/limit-requests.ts';
import { LimitedLists } from '../../../../functions/core/schedule/limited-lists.ts';

const DEADLINE = 9_000;
const PAGE = { path: '/projects/p/floorplans', perPage: 2 };
const ENTITY = { path: '/projects/p/floorplans/f' };
const NO_ENTITIES = { entities: [], invalid: [], hasMore: false, bytes: 0 };

/** A service that answers with an error, or else with an empty page and a missing entity. */
function openService(failure?: Error) {
  const limited = new LimitedLists(() => 1_000);
  const requests: unknown[] = [];
  const answer = <T>(request: unknown, value: T): Promise<T> => {
    requests.push(request);
    return failure === undefined ? Promise.resolve(value) : Promise.reject(failure);
  };
  const api: ServiceApi = {
    fetchPage: (request) => answer(request, NO_ENTITIES),
    fetchEntity: (request) => answer(request, { verdict: 'missing' }),
  };
  return { limited, requests, api: limitRequests(api, limited, () => DEADLINE) };
}

const ANSWERED = new RateLimitedError('429', { hint: 'Wait.', isAnswer: true });
const NOT_SENT = new RateLimitedError('The run ends before', { hint: 'Wait.' });
const ofStatus = (status: number) => new ServiceError(String(status), { hint: '', status });

describe('a request within the limits of a run', () => {
  it('has to start before the run has to stop', async () => {
    const { api, requests } = openService();
    await api.fetchPage(PAGE);
    await api.fetchEntity?.(ENTITY);
    const limit = { startBefore: DEADLINE, hasOwnLimit: false };
    expect(requests).toEqual([
      { ...PAGE, ...limit },
      { ...ENTITY, ...limit },
    ]);
  });

  it.each([
    ['a 429', ANSWERED, true],
    ['a 429 of a list with a limit of its own', ofStatus(429), true],
    ['a request that was not sent', NOT_SENT, false],
    ['a 500', ofStatus(500), false],
  ])('limits its list by %s: %o', async (_, error, isLimited) => {
    const { api, limited } = openService(error);
    await expect(api.fetchPage(PAGE)).rejects.toBe(error);
    expect(limited.has('projects/p/floorplans')).toBe(isLimited);
  });

  it('for an entity limits the entities of its list together, and not the list', async () => {
    const { api, limited } = openService(ANSWERED);
    await expect(api.fetchEntity?.(ENTITY)).rejects.toBe(ANSWERED);
    expect(limited.has('projects/p/floorplans/#')).toBe(true);
    expect(limited.has('projects/p/floorplans')).toBe(false);
  });

  it('that is answered shows that its list is read', async () => {
    const { api, limited } = openService();
    limited.limited('projects/p/floorplans');
    limited.limited('projects/p/floorplans/#');
    await api.fetchPage(PAGE);
    expect(limited.has('projects/p/floorplans')).toBe(false);
    expect(limited.has('projects/p/floorplans/#')).toBe(true);
    await api.fetchEntity?.(ENTITY);
    expect(limited.has('projects/p/floorplans/#')).toBe(false);
  });
});
