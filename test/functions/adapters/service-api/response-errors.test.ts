import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  FatalError,
  FeedError,
  FeedRefusedError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import type { RateLimited } from '../../../../functions/adapters/service-api/client.ts';
import { deadAddress, json, page, rejection, serve } from '../../../support/local-server.ts';
import { CountedTokens, TOKEN, makeClient } from './service-client.ts';

const LIST = { path: '/projects', perPage: 50 };
const ENTITY = { id: 'e-1', updated_at: '2024-01-02T03:04:05.678Z' };

describe('a read', () => {
  it.each([408, 429, 500, 502, 503, 504, 599])(
    'is tried four times in all when the service answers %i',
    async (status) => {
      const service = await serve((response) => json(response, status, { error: 'not now' }));
      const error = await rejection(makeClient(service.url).fetchPage(LIST));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ status, hint: expect.stringMatching(/.+/) as string });
      expect(String(error)).toContain(
        `GET /projects was answered with ${status}: {"error":"not now"}`,
      );
      expect(service.received).toHaveLength(4);
    },
  );

  it.each([400, 404, 405, 409, 422, 301])(
    'is not tried again when the service answers %i',
    async (status) => {
      const service = await serve((response) =>
        json(response, status, { error: 'never' }, { location: '/api/v3/elsewhere' }),
      );
      const error = await rejection(makeClient(service.url).getProject('p'));
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ status });
      expect(service.received).toHaveLength(1);
    },
  );

  it.each([403, 404])('of a list is refused when the service answers %i', async (status) => {
    const service = await serve((response) => json(response, status, { error: 'not yours' }));
    const error = await rejection(makeClient(service.url).fetchPage(LIST));
    expect(error).toBeInstanceOf(FeedRefusedError);
    expect(error).toMatchObject({ status });
    expect(String(error)).toContain('not yours');
    expect(service.received).toHaveLength(1);
  });

  it('is tried again when the connection breaks before the answer', async () => {
    const service = await serve((response) => {
      if (service.received.length < 4) response.destroy();
      else page(response, [ENTITY]);
    });
    const got = await makeClient(service.url).fetchPage(LIST);
    expect(got.entities).toEqual([ENTITY]);
  });

  it('is tried again when the connection breaks within the body', async () => {
    const service = await serve((response) => {
      if (service.received.length > 1) {
        page(response, [ENTITY]);
        return;
      }
      response.writeHead(200, { 'X-Has-More': 'false', 'content-length': '100' });
      response.write('[{"id":', () => response.destroy());
    });
    const got = await makeClient(service.url).fetchPage(LIST);
    expect(got.entities).toEqual([ENTITY]);
    expect(service.received).toHaveLength(2);
  });

  it.each([{ stalls: 'the answer' }, { stalls: 'the body' }])(
    'is tried again, over another connection, when $stalls takes longer than an attempt may',
    async ({ stalls }) => {
      let closed = false;
      const service = await serve((response) => {
        if (service.received.length > 1) {
          page(response, [ENTITY]);
          return;
        }
        response.on('close', () => (closed = true));
        if (stalls === 'the body') response.writeHead(200, { 'X-Has-More': 'false' }).write('[');
      });
      const got = await makeClient(service.url, { attemptTimeoutMs: 200 }).fetchPage(LIST);
      expect(got.entities).toEqual([ENTITY]);
      await expect.poll(() => closed).toBe(true);
      expect(service.received).toHaveLength(2);
    },
  );

  it('that never gets a whole answer is a ServiceError without a status', async () => {
    const service = await serve(() => undefined);
    const client = makeClient(service.url, { attemptTimeoutMs: 20, tries: 2 });
    const error = await rejection(client.fetchPage(LIST));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: undefined });
    expect(String(error)).toContain('GET /projects got no whole answer within 20 ms');
    expect(service.received).toHaveLength(2);
  });
});

describe('a write', () => {
  const writes = [
    { name: 'POST', send: (c: ReturnType<typeof makeClient>) => c.createProject({ name: 'a' }) },
    { name: 'PATCH', send: (c: ReturnType<typeof makeClient>) => c.updateFloorplan('p', 'f', {}) },
    { name: 'PUT', send: (c: ReturnType<typeof makeClient>) => c.rotateFloorplan('p', 'f') },
  ];

  it.each(writes)(
    '($name) is not repeated when the service may have acted on it',
    async (write) => {
      for (const fail of ['500', '408', 'reset', 'stall', 'broken']) {
        const service = await serve((response) => {
          if (fail === 'reset') response.destroy();
          else if (fail === 'broken') response.end('{');
          else if (fail !== 'stall') json(response, Number(fail), {});
        });
        const error = await rejection(
          write.send(
            makeClient(service.url, { attemptTimeoutMs: fail === 'stall' ? 250 : 10_000 }),
          ),
        );
        expect(error, fail).toBeInstanceOf(FeedError);
        expect(service.received, fail).toHaveLength(1);
      }
    },
  );

  it.each(writes)('($name) is repeated with its body after a 429', async (write) => {
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 429, {});
      else json(response, 200, ENTITY);
    });
    expect(await write.send(makeClient(service.url))).toEqual(ENTITY);
    const [first, second] = service.received;
    expect(second?.body).toBe(first?.body);
  });

  it.each(writes)('($name) is repeated when no connection came about', async (write) => {
    const url = await deadAddress();
    let sent = 0;
    const counted: typeof fetch = (input, init) => {
      sent++;
      return fetch(input, init);
    };
    const error = await rejection(write.send(makeClient(url, { fetch: counted })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain('ECONNREFUSED');
    expect(sent).toBe(4);
  });
});

describe('an access token that has expired', () => {
  it('is renewed once, and the request is sent again with the new one', async () => {
    const service = await serve((response, { headers }) => {
      if (headers.authorization === 'Bearer token-2') json(response, 200, ENTITY);
      else json(response, 401, {});
    });
    const accessTokens = new CountedTokens();
    const got = await makeClient(service.url, { accessTokens }).createProject({ name: 'a' });
    expect(got).toEqual(ENTITY);
    expect(accessTokens.renewals).toEqual(['token-1']);
    expect(service.received.map(({ body }) => body)).toEqual(['{"name":"a"}', '{"name":"a"}']);
  });

  it('is not renewed twice for one request: the second 401 is a ServiceError', async () => {
    const service = await serve((response) =>
      json(response, service.received.length === 2 ? 500 : 401, {}),
    );
    const accessTokens = new CountedTokens();
    const error = await rejection(makeClient(service.url, { accessTokens }).fetchPage(LIST));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 401 });
    expect(accessTokens.renewals).toEqual(['token-1']);
    expect(service.received).toHaveLength(3);
  });

  it('that cannot be renewed ends the request with what the renewal failed with', async () => {
    const service = await serve((response) => json(response, 401, {}));
    const fatal = new FatalError('no token', { hint: 'none' });
    const accessTokens = { get: () => Promise.resolve('t'), renew: () => Promise.reject(fatal) };
    const error = await rejection(makeClient(service.url, { accessTokens }).fetchPage(LIST));
    expect(error).toBe(fatal);
    expect(service.received).toHaveLength(1);
  });
});

describe('a 429', () => {
  const asked: { header: string; value: (now: number) => string; waitMs: number }[] = [
    { header: 'Retry-After', value: () => '7', waitMs: 7000 },
    { header: 'Retry-After', value: (now) => new Date(now + 7000).toUTCString(), waitMs: 7000 },
    { header: 'RateLimit-Reset', value: () => '8', waitMs: 8000 },
    { header: 'X-RateLimit-Reset', value: (now) => String(now / 1000 + 9), waitMs: 9000 },
    { header: 'X-RateLimit-Reset', value: (now) => String(now + 9000), waitMs: 9000 },
    { header: 'X-Rate-Limit-Reset', value: () => '9', waitMs: 9000 },
    { header: 'Retry-After', value: () => '61', waitMs: 61_000 },
    { header: 'Retry-After', value: () => '3600', waitMs: 3_600_000 },
    { header: 'Retry-After', value: () => '3601', waitMs: 3_600_000 },
    { header: 'Retry-After', value: () => '-5', waitMs: 10 },
    { header: 'Retry-After', value: () => 'soon', waitMs: 10 },
    { header: 'X-Nothing', value: () => '1', waitMs: 10 },
  ];

  it.each(asked)(
    'with $header holds back every request for $waitMs ms',
    async ({ header, value, waitMs }) => {
      const clock = new ManualClock();
      const seen: RateLimited[] = [];
      const service = await serve((response) => {
        if (service.received.length > 1) page(response);
        else json(response, 429, {}, { [header]: value(clock.now()) });
      });
      const bystander = await serve((response) => page(response));
      const client = makeClient(service.url, {
        clock,
        retryBaseMs: 10,
        onRateLimited: (event) => seen.push(event),
      });
      const first = client.fetchPage(LIST);
      await expect.poll(() => clock.sleeping).toBe(1);
      const second = client.fetchPage({ ...LIST, path: '/other' });
      clock.advance(waitMs - 1);
      await makeClient(bystander.url).fetchPage(LIST);
      expect(service.received).toHaveLength(1);
      clock.advance(1);
      await Promise.all([first, second]);
      expect(service.received).toHaveLength(3);
      expect(seen).toEqual([{ operation: 'GET /projects', pauseMs: waitMs }]);
    },
  );

  it('that names a time that has passed holds nothing back', async () => {
    const seen: RateLimited[] = [];
    const service = await serve((response) => {
      if (service.received.length > 1) page(response);
      else json(response, 429, {}, { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' });
    });
    await makeClient(service.url, { onRateLimited: (event) => seen.push(event) }).fetchPage(LIST);
    expect(seen).toEqual([{ operation: 'GET /projects', pauseMs: 0 }]);
  });

  it('holds back other requests also when its own request gives up', async () => {
    const clock = new ManualClock();
    const service = await serve((response) => {
      if (service.received.length > 1) page(response);
      else json(response, 429, {}, { 'Retry-After': '5' });
    });
    const client = makeClient(service.url, { clock, tries: 1 });
    await rejection(client.fetchPage(LIST));
    const next = client.fetchPage(LIST);
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(service.received).toHaveLength(1);
    clock.advance(5000);
    expect((await next).hasMore).toBe(false);
  });
});

describe('an error', () => {
  const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P';
  const KEY = '0123456789abcdef0123456789abcdef01234567';
  const echo = `{"you_sent":"Bearer ${TOKEN}","jwt":"${JWT}","other":"bearer opaque1","api_token":"hunter2\\"hunter3","key":"${KEY}"}`;
  const has = { 'X-Has-More': 'false' };

  it.each([
    { of: 'a refusal', status: 403, headers: {}, body: echo },
    { of: 'a rejected token', status: 401, headers: {}, body: echo },
    { of: 'a rejected request', status: 422, headers: {}, body: echo },
    { of: 'a failing service', status: 500, headers: {}, body: echo },
    { of: 'an answer that is no array', status: 200, headers: has, body: echo },
    { of: 'an answer that is no JSON', status: 200, headers: has, body: `x ${echo}` },
    { of: 'a broken header', status: 200, headers: { 'X-Has-More': echo }, body: '[]' },
    { of: 'a long number', status: 400, headers: {}, body: `${'x '.repeat(140)}${TOKEN}` },
  ])('of $of holds no token, wherever one looks in it', async ({ status, headers, body }) => {
    const service = await serve((response) => {
      response.writeHead(status, headers).end(body);
    });
    const error = await rejection(makeClient(service.url, { tries: 2 }).fetchPage(LIST));
    const all = inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error);
    expect(error).toBeInstanceOf(FeedError);
    for (const secret of [
      TOKEN,
      TOKEN.slice(0, 8),
      JWT,
      JWT.slice(-20),
      'hunter2',
      'hunter3',
      'opaque1',
      KEY,
    ]) {
      expect(all).not.toContain(secret);
    }
  });

  it('of the network holds no token, even when the network quotes the request', async () => {
    const failing: typeof fetch = (input) =>
      Promise.reject(
        Object.assign(new TypeError(`cannot send ${TOKEN}`), { request: input, code: 'E_TOLD' }),
      );
    const client = makeClient('http://127.0.0.1:1', { fetch: failing, tries: 1 });
    const error = await rejection(client.fetchPage(LIST));
    expect(String(error)).toContain('GET /projects got no answer: E_TOLD cannot send [redacted]');
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain(TOKEN);
  });

  it('quotes a long answer in one short line, keeping ids and dropping queries', async () => {
    const id = '2b0d1c5e-6f0a-4d0e-9a53-0d6f1f6d7a11';
    const service = await serve((response) => {
      response.writeHead(400).end(`no such sheet id=${id}\r\n\t${'word '.repeat(10_000)}`);
    });
    const error = await rejection(
      makeClient(service.url).fetchPage({ path: '/sheets?signature=s3cret', perPage: 1 }),
    );
    const message = (error as Error).message;
    expect(message).toContain(
      `GET /sheets was answered with 400: no such sheet id=${id} word word`,
    );
    expect(message.length).toBeLessThan(400);
  });
});
