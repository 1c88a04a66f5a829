import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import type { RateLimited } from '../../../../functions/adapters/service-api/client.ts';
import { RateLimitedError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { answerWith, json, page, rejection, serve } from '../../../support/local-server.ts';
import { LIST, makeClient } from './service-client.ts';

const HOUR_MS = 3_600_000;
const LIMITED = '/projects/p/floorplans';
const SAMPLED = '/projects/q/checklists';
const SAMPLE = { path: SAMPLED, perPage: 1, query: { kind: 'all' } };

const slowDown = answerWith(429, {}, { 'Retry-After': '3600' });

/** A service that answers a list with 429, and a client with a sample of another list. */
async function limitedList(sampled = answerWith(200, [], { 'X-Has-More': 'false' })) {
  const service = await serve((response, received, request) => {
    const path = received.url.replace('/api/v3', '').split('?', 1)[0] ?? '';
    if (path.startsWith(LIMITED)) return slowDown(response, received, request);
    return path === SAMPLED ? sampled(response, received, request) : page(response);
  });
  const onRateLimited = vi.fn<(event: RateLimited) => void>();
  const client = makeClient(service.url, {
    ...{ onRateLimited, concurrency: 1, attemptTimeoutMs: 500 },
  });
  return {
    client,
    onRateLimited,
    service,
    paths: () => service.received.map(({ url }) => url.replace('/api/v3', '')),
    isPaused: () => client.allowance(1_000).requests === 0,
    request: {
      path: LIMITED,
      perPage: 50,
      samples: () => [SAMPLE],
      startBefore: Date.now() + HOUR_MS / 2,
    },
  };
}

describe('a 429, if a sample of another list', () => {
  it('is answered, fails its list at once, with the wait that it asks for, and pauses nothing', async () => {
    const { client, request, isPaused, paths, service, onRateLimited } = await limitedList();
    const error = await rejection(client.fetchPage(request));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 429, retryAfterMs: HOUR_MS });
    expect(isPaused()).toBe(false);
    expect(onRateLimited).not.toHaveBeenCalled();
    expect(paths()).toEqual([LIMITED, `${SAMPLED}?kind=all`]);
    expect(service.received[1]?.headers['service-per-page']).toBe('1');
  });

  it.each([403, 404, 400])('is answered with %i, fails its list alone, too', async (status) => {
    const { client, request, isPaused } = await limitedList(answerWith(status));
    expect(await rejection(client.fetchPage(request))).toMatchObject({ status: 429 });
    expect(isPaused()).toBe(false);
  });

  it('is answered with 429, too, pauses all requests', async () => {
    const { client, request, isPaused, onRateLimited } = await limitedList(answerWith(429));
    const hasty = { ...request, startBefore: Date.now() + 900 };
    const error = await rejection(client.fetchPage(hasty));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ isAnswer: true });
    expect(isPaused()).toBe(true);
    // The hour that the list was told may concern it alone: samples are sent again before.
    expect(onRateLimited).toHaveBeenLastCalledWith({
      operation: `GET ${LIMITED}`,
      pauseMs: 65_000,
    });
  });

  it.each([
    ['500', answerWith(500)],
    ['nothing in time', () => undefined],
  ])('is answered with %s, fails its list alone: nothing tells of others', async (_, sampled) => {
    const { client, request, isPaused } = await limitedList(sampled);
    const error = await rejection(client.fetchPage(request));
    expect(error).toMatchObject({ status: 429, retryAfterMs: HOUR_MS });
    expect(isPaused()).toBe(false);
  });

  it('cannot be sent in time, fails its list alone', async () => {
    const { service, request, paths } = await limitedList();
    const client = makeClient(service.url, { requestsPerMinute: 1 });
    const hasty = { ...request, startBefore: Date.now() + 30_000 };
    expect(await rejection(client.fetchPage(hasty))).toMatchObject({ retryAfterMs: HOUR_MS });
    expect(client.allowance(HOUR_MS / 2).requests).toBeGreaterThan(0);
    expect(paths()).toEqual([LIMITED]);
  });

  it('is there for an entity by its id, concerns that alone', async () => {
    const { client, request, isPaused } = await limitedList();
    const entity = { ...request, path: `${LIMITED}/f` };
    expect(await rejection(client.fetchEntity(entity))).toMatchObject({ status: 429 });
    expect(isPaused()).toBe(false);
  });

  it('does not exist, pauses all requests', async () => {
    const { client, request, isPaused } = await limitedList();
    const lonely = { ...request, samples: () => [] };
    expect(await rejection(client.fetchPage(lonely))).toBeInstanceOf(RateLimitedError);
    expect(isPaused()).toBe(true);
  });
});

describe('the sample after a 429', () => {
  it('is sent before requests that wait', async () => {
    const { client, request, paths } = await limitedList();
    const limited = rejection(client.fetchPage(request));
    await Promise.all([limited, client.fetchPage({ path: '/projects', perPage: 50 })]);
    expect(paths()).toEqual([LIMITED, `${SAMPLED}?kind=all`, '/projects']);
  });

  it('is shared by lists that are answered with 429 at the same time', async () => {
    const { service, request, paths } = await limitedList();
    const client = makeClient(service.url, { concurrency: 3 });
    await client.fetchPage({ path: '/projects', perPage: 50 });
    await client.fetchPage({ path: '/projects', perPage: 50 });
    const limited = ['a', 'b', 'c'].map((id) => ({ ...request, path: `${LIMITED}/${id}` }));
    await Promise.all(limited.map((each) => rejection(client.fetchPage(each))));
    expect(paths().filter((path) => path.startsWith(SAMPLED))).toHaveLength(1);
    expect(paths()).toHaveLength(6);
  });

  it('pauses nothing if the run is over before it is answered', async () => {
    const stop = new AbortController();
    const { client, request, isPaused } = await limitedList(() => {
      stop.abort(new Error('over'));
    });
    expect(await rejection(client.fetchPage(request, stop.signal))).toEqual(new Error('over'));
    expect(isPaused()).toBe(false);
  });

  it('is followed by another one if it is answered: that may be by chance', async () => {
    const { client, request, isPaused, paths } = await limitedList();
    const samples = () => [LIST, SAMPLE];
    expect(await rejection(client.fetchPage({ ...request, samples }))).toBeInstanceOf(ServiceError);
    expect(isPaused()).toBe(false);
    expect(paths()).toEqual([LIMITED, LIST.path, `${SAMPLED}?kind=all`]);
  });

  it('pauses all requests if the second is refused', async () => {
    const { client, request, isPaused, paths, onRateLimited } = await limitedList(slowDown);
    const samples = () => [LIST, SAMPLE];
    const error = await rejection(client.fetchPage({ ...request, samples }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(isPaused()).toBe(true);
    expect(paths()).toHaveLength(3);
    expect(onRateLimited.mock.calls.map(([{ operation }]) => operation)).toEqual([
      `GET ${SAMPLED}`,
      `GET ${LIMITED}`,
    ]);
  });

  it('is the last one if it is refused', async () => {
    const { client, request, isPaused, paths } = await limitedList(slowDown);
    const samples = () => [SAMPLE, LIST];
    const error = await rejection(client.fetchPage({ ...request, samples }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(isPaused()).toBe(true);
    expect(paths()).toHaveLength(2);
  });

  it('is not sent while all requests are known to be limited', async () => {
    const service = await serve(answerWith(429, {}, { 'Retry-After': '0.01' }));
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    const client = makeClient(service.url, { tries: 2, clock });
    const request = { path: LIMITED, perPage: 50, samples: () => [SAMPLE] };
    expect(await rejection(client.fetchPage(request))).toBeInstanceOf(RateLimitedError);
    const sentFor = () => service.received.splice(0).filter(({ url }) => url.includes(SAMPLED));
    expect(sentFor()).toHaveLength(1);
    aheadMs += 60_000;
    expect(await rejection(client.fetchPage(request))).toBeInstanceOf(RateLimitedError);
    expect(sentFor()).toHaveLength(0);
    aheadMs += 66_000;
    expect(await rejection(client.fetchPage(request))).toBeInstanceOf(RateLimitedError);
    expect(sentFor()).toHaveLength(1);
  });

  it('is sent again once a request was answered', async () => {
    const service = await serve((response, { url }) =>
      url.endsWith('/projects')
        ? page(response)
        : json(response, 429, {}, { 'Retry-After': '0.01' }),
    );
    const client = makeClient(service.url, { tries: 1 });
    const request = { path: LIMITED, perPage: 50, samples: () => [SAMPLE] };
    await rejection(client.fetchPage(request));
    await client.fetchPage(LIST);
    await rejection(client.fetchPage(request));
    expect(service.received.filter(({ url }) => url.includes(SAMPLED))).toHaveLength(2);
  });
});

describe('a list that is limited alone', () => {
  it.each([
    ['fails if it is limited again', 429, ServiceError],
    ['is read if that was by chance', 200, undefined],
  ])('is requested once more without Retry-After, and %s', async (_, status, error) => {
    let count = 0;
    const service = await serve((response, { url }) => {
      if (!url.endsWith(LIMITED)) return page(response);
      count += 1;
      return count > 1 && status === 200 ? page(response) : json(response, 429, {});
    });
    const client = makeClient(service.url);
    const fetched = client.fetchPage({ path: LIMITED, perPage: 50, samples: () => [LIST] });
    if (error === undefined) expect(await fetched).toMatchObject({ hasMore: false });
    else expect(await rejection(fetched)).toBeInstanceOf(error);
    expect(count).toBe(2);
  });

  it('pauses all requests if these are known to be limited when it is requested again', async () => {
    const service = await serve((response, { url }) =>
      url.endsWith('/projects')
        ? page(response)
        : json(response, 429, {}, { 'Retry-After': url.endsWith(LIMITED) ? '0.3' : '0.01' }),
    );
    const client = makeClient(service.url, { tries: 2 });
    const limited = client.fetchPage({ path: LIMITED, perPage: 50, samples: () => [LIST] });
    while (service.received.length < 2) await systemClock.sleep(1);
    const other = { path: `${LIMITED}/other`, perPage: 50, samples: () => [SAMPLE] };
    expect(await rejection(client.fetchPage(other))).toBeInstanceOf(RateLimitedError);
    expect(await rejection(limited)).toBeInstanceOf(RateLimitedError);
  });

  it('pauses all requests for a minute only if another list is told to wait for an hour meanwhile', async () => {
    const service = await serve((response, { url }) =>
      json(response, 429, {}, { 'Retry-After': url.endsWith('/other') ? '3600' : '0.01' }),
    );
    const onRateLimited = vi.fn<(event: RateLimited) => void>();
    const client = makeClient(service.url, { tries: 1, onRateLimited });
    await rejection(client.fetchPage({ path: LIMITED, perPage: 50, samples: () => [LIST] }));
    const other = { path: `${LIMITED}/other`, perPage: 50, samples: () => [SAMPLE] };
    await rejection(client.fetchPage(other));
    expect(onRateLimited).toHaveBeenLastCalledWith({
      operation: `GET ${LIMITED}/other`,
      pauseMs: 65_000,
    });
  });

  it.each([
    [false, 2],
    [true, 3],
  ])(
    'lets requests out one at a time unless it was limited before: %s',
    async (wasLimited, most) => {
      let inFlight = 0;
      let mostInFlight = 0;
      const service = await serve(async (response, received, request) => {
        if (received.url.endsWith(LIMITED)) return slowDown(response, received, request);
        inFlight += 1;
        mostInFlight = Math.max(mostInFlight, inFlight);
        await systemClock.sleep(20);
        inFlight -= 1;
        return page(response);
      });
      const client = makeClient(service.url, { concurrency: 8 });
      const samples = () => [SAMPLE, LIST];
      await rejection(client.fetchPage({ path: LIMITED, perPage: 50, samples, wasLimited }));
      await Promise.all([1, 2, 3].map(() => client.fetchPage(LIST)));
      expect(mostInFlight).toBe(most);
    },
  );

  it.each([
    [false, 50],
    [true, 100],
  ])('halves the rate unless it was limited before: %s', async (wasLimited, perMinute) => {
    const { service, request } = await limitedList();
    const client = makeClient(service.url, { requestsPerMinute: 100 });
    await rejection(client.fetchPage({ ...request, wasLimited }));
    expect(client.allowance(60_000).perMinute).toBe(perMinute);
  });
});
