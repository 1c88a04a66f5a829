import { describe, expect, it } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import type { ServiceApiOptions } from '../../../../functions/adapters/service-api/service-client.ts';
import { FatalError } from '../../../../functions/core/model/errors.ts';
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
const error401 = { name: 'ServiceError', status: 401 };

describe('a list that is always answered with 401', () => {
  it('fails alone, after one request with a new token', async () => {
    const { read, state, takeRequests } = await makeService();
    await read('/a');
    state.refuses = (path) => path === '/b';
    takeRequests();
    expect(await rejection(read('/b'))).toMatchObject(error401);
    expect(takeRequests()).toEqual(['/b 1', 'jwt', '/b 2']);
    await read('/a');
    expect(await rejection(read('/b'))).toMatchObject(error401);
    expect(takeRequests()).toEqual(['/a 2', '/b 2']);
  });

  it('fails no others while the token endpoint fails', async () => {
    const { read, state } = await makeService({ refuses: (path) => path === '/b' });
    await rejection(read('/b'));
    await read('/a');
    state.exchange = (response) => json(response, 429, {}, { 'Retry-After': '120' });
    expect(await rejection(read('/b'))).toMatchObject(error401);
    expect(await read('/a')).toMatchObject({ entities: [] });
  });
});

describe('an access token that has ended', () => {
  it.each<[string, Answering]>([
    ['a 401', (response) => json(response, 401, {})],
    ['a 403', (response) => json(response, 403, {})],
    ['a redirect', (response) => json(response, 302, {}, { location: '/login' })],
    ['a login page', (response) => response.writeHead(200).end('<!doctype html>')],
    ['an error in the body', (response) => json(response, 200, { error: 'Invalid token.' })],
  ])('may be shown by %s', async (_, refuse) => {
    const { read, state, takeRequests } = await makeService({}, { attemptTimeoutMs: 500 });
    await read('/a');
    takeRequests();
    state.answer = (response, received, request) =>
      received.headers.authorization === 'Bearer token-2'
        ? page(response)
        : refuse(response, received, request);
    expect(await read('/a')).toMatchObject({ entities: [] });
    expect(takeRequests()).toEqual(['/a 1', 'jwt', '/a 2']);
  });

  it.each([404, 429, 500])('is not shown by a %i', async (status) => {
    const { read, state, exchangeCount } = await makeService();
    await read('/a');
    state.answer = (response) => json(response, status, {}, { 'Retry-After': '0' });
    expect(await rejection(read('/a'))).toMatchObject({ status });
    expect(exchangeCount()).toBe(1);
  });

  it('is not shown by a 403 for one entity: it may be hidden', async () => {
    const { api, state, exchangeCount } = await makeService();
    state.answer = (response) => json(response, 403, {});
    expect(await api.fetchEntity({ path: '/a/b' })).toEqual({ verdict: 'forbidden' });
    expect(exchangeCount()).toBe(1);
  });

  it('is not exchanged again and again if the service refuses fresh ones for all lists', async () => {
    const { read, takeRequests } = await makeService({ valid: () => false });
    for (const path of ['/a', '/b', '/c']) {
      expect(await rejection(read(path))).toMatchObject(error401);
    }
    expect(takeRequests()).toEqual(['jwt', '/a 1', 'jwt', '/a 2', '/b 2', '/c 2']);
  });

  it('ends the request with the error of the exchange', async () => {
    const { read, state, takeRequests } = await makeService();
    await read('/a');
    takeRequests();
    state.valid = (token) => token === 2;
    state.exchange = (response) => json(response, 307, {});
    expect(await rejection(read('/b'))).toBeInstanceOf(FatalError);
    expect(takeRequests()).toEqual(['/b 1', 'jwt']);
  });
});
