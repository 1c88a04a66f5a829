import { describe, expect, it } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import type { ServiceApiOptions } from '../../../../functions/adapters/service-api/client.ts';
import { FatalError, RateLimitedError } from '../../../../functions/core/model/errors.ts';
import {
  json,
  page,
  rejection,
  serve,
  type Answering,
  type Received,
} from '../../../support/local-server.ts';
import { makeClient } from './service-client.ts';

/** How the service behaves; may be changed at any time. */
interface Behaviour {
  /** The number of the token that is valid now. Others are answered with 401. */
  valid: (token: number) => boolean;
  /** Paths that are answered with 401 whatever the token. */
  refuses: (path: string) => boolean;
  /** Answers an exchange; by default with the next token. */
  exchange?: Answering;
  /** Answers a request with a valid token in place of an empty page. */
  answer?: Answering;
}

/** A service with tokens that are numbered, and a client of it. */
async function makeService(
  behaviour: Partial<Behaviour> = {},
  options: Partial<ServiceApiOptions> = {},
) {
  const state: Behaviour = { valid: () => true, refuses: () => false, ...behaviour };
  let exchangeCount = 0;
  const service = await serve((response, received, request) => {
    if (received.url.endsWith('/jwt')) {
      exchangeCount += 1;
      if (state.exchange !== undefined) return state.exchange(response, received, request);
      return json(response, 200, { access_token: `token-${exchangeCount}` });
    }
    const token = Number(received.headers.authorization?.replace('Bearer token-', ''));
    if (!state.valid(token) || state.refuses(pathOf(received))) return json(response, 401, {});
    return state.answer === undefined ? page(response) : state.answer(response, received, request);
  });
  const accessTokens = new AccessTokenSource({
    authUrl: service.url,
    secret: { name: 'secret', read: () => Promise.resolve('refresh') },
    retryBaseMs: 1,
  });
  const api = makeClient(service.url, { accessTokens, tries: 1, ...options });
  const read = (path: string) => api.fetchPage({ path, perPage: 10 });
  return {
    state,
    api,
    read,
    exchangeCount: () => exchangeCount,
    /** What was requested since the last call: `jwt`, or path and token. */
    takeRequests: () =>
      service.received
        .splice(0)
        .map((each) =>
          each.url.endsWith('/jwt')
            ? 'jwt'
            : `${pathOf(each)} ${each.headers.authorization?.replace('Bearer token-', '')}`,
        ),
    received: service.received,
  };
}

const pathOf = ({ url }: Received) => url.replace(/^\/api\/v3|\?.*/g, '');
const ownRefusal = {
  name: 'ServiceError',
  status: 401,
  hint: expect.stringContaining('Check the rights of its user') as unknown,
};

describe('a list that is always answered with 401', () => {
  it('fails alone, with the token that another list is read with then', async () => {
    const { read, state, takeRequests } = await makeService();
    await read('/a');
    state.refuses = (path) => path === '/b';
    takeRequests();
    expect(await rejection(read('/b'))).toMatchObject(ownRefusal);
    expect(takeRequests()).toEqual(['/b 1', '/a 1']);
    await read('/a');
    expect(await rejection(read('/b'))).toMatchObject(ownRefusal);
    expect(takeRequests()).toEqual(['/a 1', '/b 1', '/a 1']);
  });

  it('fails no others while the token endpoint fails', async () => {
    const { read, state } = await makeService({ refuses: (path) => path === '/b' });
    await read('/a');
    state.exchange = (response) => json(response, 429, {}, { 'Retry-After': '120' });
    expect(await rejection(read('/b'))).toMatchObject(ownRefusal);
    expect(await read('/a')).toMatchObject({ entities: [] });
  });

  it('costs no request more if a request that was sent after it was accepted', async () => {
    const { read, state, takeRequests } = await makeService();
    await read('/a');
    takeRequests();
    const arrived = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    state.answer = async (response, received) => {
      if (pathOf(received) !== '/b') return page(response);
      arrived.resolve(undefined);
      await released.promise;
      return json(response, 401, {});
    };
    const failing = rejection(read('/b'));
    await arrived.promise;
    await read('/c');
    released.resolve(undefined);
    expect(await failing).toMatchObject(ownRefusal);
    expect(takeRequests()).toEqual(['/b 1', '/c 1']);
  });

  it('costs one exchange at most, however many such lists there are', async () => {
    const { read, exchangeCount, received } = await makeService({
      refuses: (path) => path.startsWith('/no'),
    });
    const queue = Array.from({ length: 60 }, (_, i) => `/${i % 3 === 0 ? 'no' : 'yes'}${i}`);
    let readCount = 0;
    const work = async () => {
      for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
        const isRead = await read(path).then(
          () => true,
          () => false,
        );
        if (isRead) readCount += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(readCount).toBe(40);
    // The first one, and one for lists that are refused before another is accepted.
    expect(exchangeCount()).toBeLessThanOrEqual(2);
    expect(received.length).toBeLessThan(60 + 20 + 10);
  });

  it('fails also if the budget allows no second try', async () => {
    const { api, read, takeRequests } = await makeService(
      { refuses: (path) => path === '/b' },
      { requestsPerMinute: 3, tries: 4 },
    );
    await read('/a');
    const startBefore = Date.now() + 30_000;
    const failing = rejection(api.fetchPage({ path: '/b', perPage: 10, startBefore }));
    expect(await failing).toMatchObject(ownRefusal);
    expect(takeRequests()).toEqual(['jwt', '/a 1', '/b 1', '/a 1']);
  });

  it('is an error that says so after an exchange, too', async () => {
    const { read, state } = await makeService();
    await read('/a');
    state.refuses = (path) => path === '/b';
    // The token expires at the same time.
    state.valid = (token) => token === 2;
    const failing = rejection(read('/b'));
    expect(await failing).toMatchObject({ name: 'ServiceError', status: 401 });
    expect(await read('/a')).toMatchObject({ entities: [] });
  });
});

describe('a token on which the machines of the service do not agree for a moment', () => {
  it('fails no list when it expires on one of them first', async () => {
    const { read, state, takeRequests } = await makeService({}, { tries: 4 });
    await read('/a');
    takeRequests();
    let requestCount = 0;
    state.valid = (token) => (requestCount += 1) <= 2 || token === 2;
    state.refuses = () => requestCount === 1;
    expect(await read('/b')).toMatchObject({ entities: [] });
    expect(takeRequests()).toEqual(['/b 1', '/a 1', '/b 1', '/a 1', 'jwt', '/b 2']);
  });

  it('fails no list when a fresh one is valid on one of them later', async () => {
    let requestCount = 0;
    const valid = () => (requestCount += 1) > 2;
    const { read, takeRequests } = await makeService({ valid }, { tries: 4 });
    expect(await read('/a')).toMatchObject({ entities: [] });
    expect(takeRequests()).toEqual(['jwt', '/a 1', 'jwt', '/a 2', '/a 2']);
  });

  it('is tried once more and not until the end of the tries', async () => {
    const { read, takeRequests } = await makeService({ valid: () => false }, { tries: 4 });
    expect(await rejection(read('/a'))).toMatchObject({ name: 'ServiceError', status: 401 });
    expect(takeRequests()).toEqual(['jwt', '/a 1', 'jwt', '/a 2', '/a 2']);
  });
});

describe('an access token that has expired', () => {
  it('is exchanged once for all requests that it is refused for, and each is sent again', async () => {
    const { read, state, exchangeCount, takeRequests } = await makeService();
    await read('/a');
    // As many are in flight as may be.
    await Promise.all(['/b', '/c', '/d'].map(read));
    takeRequests();
    state.valid = (token) => token === 2;
    await Promise.all(['/e', '/f', '/g'].map(read));
    expect(exchangeCount()).toBe(2);
    const requests = takeRequests();
    expect(requests.filter((each) => each.endsWith(' 2')).toSorted()).toEqual([
      '/e 2',
      '/f 2',
      '/g 2',
    ]);
    // One request that was accepted before shows that the token has expired.
    expect(requests.filter((each) => each.endsWith(' 1'))).toHaveLength(4);
  });

  it('is exchanged before requests that wait for their turn are sent', async () => {
    const { read, state, takeRequests } = await makeService({}, { concurrency: 2 });
    await read('/a');
    takeRequests();
    state.valid = (token) => token === 2;
    await Promise.all(['/b', '/c', '/d', '/e'].map(read));
    const requests = takeRequests();
    expect(requests.slice(0, 4)).toEqual(['/b 1', '/c 1', '/a 1', 'jwt']);
    expect(requests.slice(4).toSorted()).toEqual(['/b 2', '/c 2', '/d 2', '/e 2']);
  });

  it('is exchanged at once if it was accepted for the refused list alone, or for none', async () => {
    const { read, state, takeRequests } = await makeService({ valid: (token) => token === 2 });
    await read('/a');
    expect(takeRequests()).toEqual(['jwt', '/a 1', 'jwt', '/a 2']);
    state.valid = (token) => token === 3;
    await read('/a');
    expect(takeRequests()).toEqual(['/a 2', 'jwt', '/a 3']);
  });

  it.each<[string, Answering]>([
    ['fails', (response) => json(response, 503, {})],
    ['is refused', (response) => json(response, 404, {})],
    ['has no answer', (response) => response.destroy()],
    ['takes too long', () => undefined],
  ])('is exchanged if the request that could show it %s', async (_, answer) => {
    const { read, state, takeRequests } = await makeService({}, { attemptTimeoutMs: 500 });
    await read('/a');
    takeRequests();
    state.answer = (response, received, request) => {
      if (received.headers.authorization === 'Bearer token-2') return page(response);
      if (pathOf(received) === '/b') return json(response, 401, {});
      return answer(response, received, request);
    };
    expect(await read('/b')).toMatchObject({ entities: [] });
    expect(takeRequests()).toEqual(['/b 1', '/a 1', 'jwt', '/b 2']);
  });

  describe.each(['the same list', 'another one'])('and was accepted for %s', (accepted) => {
    it.each<[string, Answering]>([
      [
        'is not encoded as it says',
        (response) => json(response, 401, {}, { 'content-encoding': 'gzip' }),
      ],
      [
        'breaks off',
        (response) => {
          response.writeHead(401, { 'content-length': 9 }).write('{', () => response.destroy());
        },
      ],
      ['never ends', (response) => response.writeHead(401, { 'content-length': 9 }).write('{')],
    ])('is exchanged after a 401 whose body %s', async (_, refuse) => {
      const { read, state } = await makeService({}, { attemptTimeoutMs: 500 });
      await read('/a');
      state.answer = (response, received, request) =>
        received.headers.authorization === 'Bearer token-2'
          ? page(response)
          : refuse(response, received, request);
      const path = accepted === 'another one' ? '/b' : '/a';
      expect(await read(path)).toMatchObject({ entities: [] });
    });
  });

  it('is exchanged if the budget allows no request that could show it', async () => {
    const { api, read, state, takeRequests } = await makeService({}, { requestsPerMinute: 2 });
    await read('/a');
    takeRequests();
    state.valid = (token) => token === 2;
    const startBefore = Date.now() + 30_000;
    const failing = rejection(api.fetchPage({ path: '/b', perPage: 10, startBefore }));
    expect(await failing).toBeInstanceOf(RateLimitedError);
    expect(takeRequests()).toEqual(['/b 1', 'jwt']);
  });

  it('ends the request with the error of the exchange', async () => {
    const { read, state, takeRequests } = await makeService();
    await read('/a');
    takeRequests();
    state.valid = (token) => token === 2;
    state.exchange = (response) => json(response, 307, {});
    expect(await rejection(read('/b'))).toBeInstanceOf(FatalError);
    expect(takeRequests()).toEqual(['/b 1', '/a 1', 'jwt']);
  });

  it('is not exchanged again and again if the service refuses fresh ones for all lists', async () => {
    const { read, takeRequests } = await makeService({ valid: () => false });
    for (const path of ['/a', '/b', '/c']) {
      expect(await rejection(read(path))).toMatchObject({
        ...{ name: 'ServiceError', status: 401 },
        hint: expect.stringContaining('A fresh access token is rejected') as unknown,
      });
    }
    expect(takeRequests()).toEqual(['jwt', '/a 1', 'jwt', '/a 2', '/b 2', '/c 2']);
  });
});

it('a request whose signal is aborted waits for no check of the token, and the others go on', async () => {
  const { api, read, state, takeRequests } = await makeService();
  await read('/a');
  const sampled = Promise.withResolvers<undefined>();
  const released = Promise.withResolvers<undefined>();
  state.refuses = (path) => path !== '/a';
  state.answer = async (response) => {
    sampled.resolve(undefined);
    await released.promise;
    page(response);
  };
  takeRequests();
  const run = new AbortController();
  const reason = new Error('the run is over');
  const aborted = rejection(api.fetchPage({ path: '/b', perPage: 1 }, run.signal));
  const other = rejection(read('/c'));
  await sampled.promise;
  run.abort(reason);
  expect(await aborted).toBe(reason);
  released.resolve(undefined);
  expect(await other).toMatchObject(ownRefusal);
  expect(takeRequests().toSorted()).toEqual(['/a 1', '/b 1', '/c 1']);
});
