import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { FeedError } from '../../../../functions/core/model/errors.ts';
import {
  answerWith,
  inTurn,
  json,
  page,
  rejection,
  serve,
  type Answering,
} from '../../../support/local-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { ENTITY, LIST, TOKEN, fetchProjects, makeClient } from './service-client.ts';

const containing = (text: string) => expect.stringContaining(text) as string;
/** A 429 without a time pauses for half a minute. */
const NO_WAIT = { 'Retry-After': '0' };
const lastPage: Answering = (response) => page(response, [ENTITY]);

describe('a read', () => {
  it.each([408, 429, 500])(
    'is sent four times in all when the service answers %i',
    async (status) => {
      const service = await serve(answerWith(status, { error: 'not now' }, NO_WAIT));
      await expect(fetchProjects(service.url)).rejects.toMatchObject({
        ...{ name: 'ServiceError', status },
        hint: expect.stringMatching(/.+/) as string,
        message: containing(`GET /projects was answered with ${status}: {"error":"not now"}`),
      });
      expect(service.received).toHaveLength(4);
    },
  );

  it.each([400, 301])('is not repeated when the service answers %i', async (status) => {
    const service = await serve(answerWith(status, {}, { location: '/api/v3/elsewhere' }));
    const got = makeClient(service.url).fetchEntity({ path: '/projects/p' });
    await expect(got).rejects.toMatchObject({ name: 'ServiceError', status });
    expect(service.received).toHaveLength(1);
  });

  it.each([403, 404])('of a list is refused when the service answers %i', async (status) => {
    const service = await serve(answerWith(status, { error: 'not yours' }));
    await expect(fetchProjects(service.url)).rejects.toMatchObject({
      ...{ name: 'ServiceError', status, message: containing('not yours') },
      hint: containing('Check baseUrl if all lists are answered so.'),
    });
    expect(service.received).toHaveLength(1);
  });

  const breakBody: Answering = (response) => {
    response.writeHead(200, { 'X-Has-More': 'false', 'content-length': '100' });
    response.write('[{"id":', () => response.destroy());
  };
  it.each<[string, Answering[]]>([
    ['before the answer', Array<Answering>(3).fill((response) => response.destroy())],
    ['within the body', [breakBody]],
  ])('is repeated when the connection breaks %s', async (_, failures) => {
    const service = await serve(inTurn(...failures, lastPage));
    expect((await fetchProjects(service.url)).entities).toEqual([ENTITY]);
    expect(service.received).toHaveLength(failures.length + 1);
  });

  it.each(['the answer', 'the body'])(
    'is repeated over another connection when %s takes too long',
    async (part) => {
      let closed = false;
      const stall: Answering = (response) => {
        response.on('close', () => (closed = true));
        if (part === 'the body') response.writeHead(200, { 'X-Has-More': 'false' }).write('[');
      };
      const service = await serve(inTurn(stall, answerWith(200, ENTITY)));
      const client = makeClient(service.url, { attemptTimeoutMs: 600 });
      const got = await client.fetchEntity({ path: '/projects/p' });
      expect(got).toMatchObject({ verdict: 'found', entity: ENTITY });
      await expect.poll(() => closed).toBe(true);
      expect(service.received).toHaveLength(2);
    },
  );

  it.each<[string, Answering, number | undefined]>([
    ['takes longer than an attempt may', () => undefined, undefined],
    ['is answered with 504', answerWith(504), 504],
  ])('of a page that %s is not repeated at the same size', async (_, answer, status) => {
    const service = await serve(answer);
    const fetched = fetchProjects(service.url, { attemptTimeoutMs: 200 });
    await expect(fetched).rejects.toMatchObject({ name: 'PageTooSlowError', status });
    expect(service.received).toHaveLength(1);
  });
});

describe('a 429', () => {
  it.each<[string, (now: number) => string, number]>([
    ['Retry-After', () => '7', 7000],
    ['RateLimit-Reset', () => '8', 8000],
    ['Retry-After', () => '3601', 3_600_000],
    ['X-Nothing', () => '1', 30_000],
  ])('with %s (%o) holds back every request for %i ms', async (header, value, pauseMs) => {
    const clock = new ManualClock();
    const onRateLimited = vi.fn();
    const limit: Answering = (response) => {
      response.sendDate = false;
      return json(response, 429, {}, { [header]: value(clock.now()) });
    };
    const service = await serve(inTurn(limit, lastPage));
    const bystander = await serve(lastPage);
    const client = makeClient(service.url, { clock, retryBaseMs: 10, onRateLimited });
    const first = client.fetchPage(LIST);
    await expect.poll(() => clock.sleeping).toBe(1);
    const second = client.fetchPage({ ...LIST, path: '/other' });
    clock.advance(pauseMs - 1);
    await fetchProjects(bystander.url);
    expect(service.received).toHaveLength(1);
    clock.advance(1);
    // Starts are spaced from now on.
    await expect.poll(() => clock.sleeping).toBe(1);
    clock.advance(10);
    await Promise.all([first, second]);
    expect(service.received).toHaveLength(3);
    expect(onRateLimited.mock.calls).toEqual([[{ operation: 'GET /projects', pauseMs }]]);
  });
});

describe('an error', () => {
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P';
  const KEY = '0123456789abcdef0123456789abcdef01234567';
  const echo = `{"you_sent":"Bearer ${TOKEN}","jwt":"${JWT}","other":"bearer opaque1","api_token":"hunter2\\"hunter3","key":"${KEY}"}`;
  const has = { 'X-Has-More': 'false' };

  it.each([
    { of: 'a refusal', status: 403, headers: {}, body: echo },
    { of: 'a failing service', status: 500, headers: {}, body: echo },
    { of: 'an answer that is no JSON', status: 200, headers: has, body: `x ${echo}` },
    { of: 'a broken header', status: 200, headers: { 'X-Has-More': echo }, body: '[]' },
  ])('of $of holds no token, wherever one looks in it', async ({ status, headers, body }) => {
    const service = await serve((response) => {
      response.writeHead(status, headers).end(body);
    });
    const error = await rejection(fetchProjects(service.url, { tries: 2 }));
    const all = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
    expect(error).toBeInstanceOf(FeedError);
    const secrets = [TOKEN, TOKEN.slice(0, 8), JWT, JWT.slice(-20), KEY];
    for (const secret of [...secrets, 'hunter2', 'hunter3', 'opaque1']) {
      expect(all).not.toContain(secret);
    }
  });
});
