import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ProtocolError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { json, page, rejection, serve } from '../../../support/local-server.ts';
import { CountedTokens, makeClient } from './service-client.ts';
import { type Clock } from '../../../../functions/core/ports/clock.ts';

const LIST = { path: '/projects', perPage: 50 };

/** Time as the faked timers tell it. */
const fakedClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the request budget', () => {
  it('lets no more requests start in any minute than are allowed, retries included', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const startedAt: number[] = [];
    const start = Date.now();
    const client = makeClient('http://service.invalid', {
      requestsPerMinute: 3,
      tries: 2,
      clock: fakedClock,
      fetch: () => {
        startedAt.push(Date.now() - start);
        return Promise.resolve(new Response('[]', { headers: { 'X-Has-More': 'perhaps' } }));
      },
    });
    const advance = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
    const failures = Promise.all([1, 2].map(() => rejection(client.fetchPage(LIST))));
    await advance(30);
    const more = rejection(client.fetchPage(LIST));
    await advance(100);
    await Promise.all([failures, more]);
    expect(startedAt).toHaveLength(6);
    expect(startedAt[2]).toBeLessThan(1000);
    expect(startedAt[3]).toBeGreaterThanOrEqual(60_000);
    expect(startedAt[5]).toBeLessThan(62_000);
  });

  it('lets a retry go before requests that have not been tried', async () => {
    let asked = 0;
    const accessTokens = new CountedTokens();
    accessTokens.get = () => Promise.resolve(`token-${++asked}`);
    const service = await serve(async (response, { url }) => {
      if (service.received.length === 1) {
        json(response, 500, {});
        return;
      }
      // Four calls asked for a token as they began, two as they were sent; the seventh is the retry.
      if (url.endsWith('/b')) await expect.poll(() => asked).toBe(7);
      page(response);
    });
    const client = makeClient(service.url, { concurrency: 1, accessTokens });
    await Promise.all(
      ['/a', '/b', '/c', '/d'].map((path) => client.fetchPage({ path, perPage: 1 })),
    );
    expect(service.received.map(({ url }) => url.slice(-1))).toEqual(['a', 'b', 'a', 'c', 'd']);
  });
});

it('a retry waits as long as a 503 asks, and the next does not', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  let sent = 0;
  const client = makeClient('http://service.invalid', {
    tries: 3,
    clock: fakedClock,
    fetch: () => {
      sent++;
      if (sent > 1) return Promise.reject(new TypeError('fetch failed'));
      const headers = { 'Retry-After': '10' };
      return Promise.resolve(new Response('', { status: 503, headers }));
    },
  });
  const failure = rejection(client.fetchPage(LIST));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(sent).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent).toBe(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toBe(3);
  expect(await failure).toBeInstanceOf(ServiceError);
});

it.each([408, 500, 503])(
  'a request fails at once when a %i asks for more than ten seconds',
  async (status) => {
    const service = await serve((response) => json(response, status, {}, { 'Retry-After': '11' }));
    const error = await rejection(makeClient(service.url).fetchPage(LIST));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status });
    expect(service.received).toHaveLength(1);
  },
);

describe('a request whose signal is aborted rejects with the reason', () => {
  const reason = new Error('the run is over');

  it('when all of the answer is there already', async () => {
    const run = new AbortController();
    const service = await serve((response) => page(response));
    const reservation = {
      acquire: () => Promise.resolve(),
      onBytesRead: () => undefined,
      resize: () => {
        run.abort(reason);
      },
    };
    const fetched = makeClient(service.url).fetchPage({ ...LIST, reservation }, run.signal);
    expect(await rejection(fetched)).toBe(reason);
  });

  it('when it was aborted before it began', async () => {
    const service = await serve((response) => page(response));
    const error = await rejection(
      makeClient(service.url).fetchPage(LIST, AbortSignal.abort(reason)),
    );
    expect(error).toBe(reason);
    expect(service.received).toEqual([]);
  });

  it.each([{ at: 'the answer' }, { at: 'the body' }, { at: 'the body of an error' }])(
    'while it waits for $at, and the connection is closed',
    async ({ at }) => {
      let closed = false;
      const run = new AbortController();
      const service = await serve((response) => {
        response.on('close', () => (closed = true));
        if (at === 'the body') response.writeHead(200, { 'X-Has-More': 'false' }).write('[');
        if (at === 'the body of an error') response.writeHead(500).write('[');
        setTimeout(() => {
          run.abort(reason);
        }, 20);
      });
      expect(await rejection(makeClient(service.url).fetchPage(LIST, run.signal))).toBe(reason);
      await expect.poll(() => closed).toBe(true);
      expect(service.received).toHaveLength(1);
    },
  );

  it('while the client pauses, and the pause goes on without leaving a timer', async () => {
    const clock = new ManualClock();
    const run = new AbortController();
    let limited = true;
    const service = await serve((response) => {
      if (limited) json(response, 429, {}, { 'Retry-After': '9' });
      else page(response);
    });
    const client = makeClient(service.url, { clock });
    const first = rejection(client.fetchPage(LIST, run.signal));
    await expect.poll(() => clock.sleeping).toBe(1);
    const second = rejection(client.fetchPage(LIST, run.signal));
    run.abort(reason);
    expect(await Promise.all([first, second])).toEqual([reason, reason]);
    expect(clock.sleeping).toBe(0);
    limited = false;
    clock.advance(8999);
    const next = client.fetchPage(LIST);
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(service.received).toHaveLength(1);
    clock.advance(1);
    await next;
  });

  it('while it waits for an access token, whatever the tokens reject with', async () => {
    const run = new AbortController();
    const accessTokens = new CountedTokens();
    const given: (AbortSignal | undefined)[] = [];
    accessTokens.get = (signal?: AbortSignal) => {
      given.push(signal);
      run.abort(reason);
      return Promise.reject(new Error('no token'));
    };
    const client = makeClient('http://service.invalid', { accessTokens });
    expect(await rejection(client.fetchPage(LIST, run.signal))).toBe(reason);
    expect(given).toEqual([run.signal]);
  });
});

describe('a request that has failed before its signal is aborted rejects with the last failure', () => {
  const reason = new Error('the run is over');

  it('while it waits for a retry', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const run = new AbortController();
    let sent = 0;
    const client = makeClient('http://service.invalid', {
      fetch: () => {
        sent++;
        const headers = { 'Retry-After': '9' };
        return Promise.resolve(new Response('', { status: 503, headers }));
      },
    });
    const failure = rejection(client.fetchPage(LIST, run.signal));
    await vi.advanceTimersByTimeAsync(8000);
    run.abort(reason);
    expect(await failure).toBeInstanceOf(ServiceError);
    expect(await failure).toMatchObject({ status: 503 });
    expect(sent).toBe(1);
  });

  it('while another attempt is under way, whose end does not count', async () => {
    const run = new AbortController();
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 500, {});
      else if (service.received.length === 2) json(response, 502, {});
      else run.abort(reason);
    });
    const error = await rejection(makeClient(service.url).fetchPage(LIST, run.signal));
    expect(error).toMatchObject({ status: 502 });
    expect(service.received).toHaveLength(3);
  });

  it('when no answer came in time', async () => {
    const run = new AbortController();
    const service = await serve(() => {
      if (service.received.length === 2) run.abort(reason);
    });
    const client = makeClient(service.url, { attemptTimeoutMs: 200 });
    const error = await rejection(client.fetchPage(LIST, run.signal));
    expect(String(error)).toContain('GET /projects got no whole answer within 200 ms');
  });

  it('when the answer was broken', async () => {
    const run = new AbortController();
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 200, {});
      else run.abort(reason);
    });
    const error = await rejection(makeClient(service.url).fetchPage(LIST, run.signal));
    expect(error).toBeInstanceOf(ProtocolError);
  });

  it('and not with a rate limit that came after it', async () => {
    const run = new AbortController();
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 500, {});
      else json(response, 429, {}, { 'Retry-After': '9' });
    });
    const client = makeClient(service.url, {
      onRateLimited: () =>
        setImmediate(() => {
          run.abort(reason);
        }),
    });
    const error = await rejection(client.fetchPage(LIST, run.signal));
    expect(error).toMatchObject({ status: 500 });
  });
});

describe('what is no failure of the list leaves the reason of the signal', () => {
  const reason = new Error('the run is over');

  it('a rate limit', async () => {
    const run = new AbortController();
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 429, {});
      else run.abort(reason);
    });
    expect(await rejection(makeClient(service.url).fetchPage(LIST, run.signal))).toBe(reason);
    expect(service.received).toHaveLength(2);
  });

  it('an access token that had expired', async () => {
    const run = new AbortController();
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 401, {});
      else run.abort(reason);
    });
    expect(await rejection(makeClient(service.url).fetchPage(LIST, run.signal))).toBe(reason);
    expect(service.received).toHaveLength(2);
  });
});

it('a process whose requests were aborted during a pause ends by itself', async () => {
  const service = await serve((response) => json(response, 429, {}, { 'Retry-After': '3600' }));
  const adapters = join(import.meta.dirname, '../../../../functions/adapters');
  const script = `
    import { ServiceApiClient } from ${JSON.stringify(join(adapters, 'service-api/client.ts'))};
    import { systemClock } from ${JSON.stringify(join(adapters, 'clock/system-clock.ts'))};
    const run = new AbortController();
    const client = new ServiceApiClient({
      baseUrl: ${JSON.stringify(service.url)},
      accessTokens: { get: async () => 't', renew: async () => 't' },
      requestsPerMinute: 60,
      clock: systemClock,
      onRateLimited: () => setImmediate(() => run.abort(new Error('over'))),
    });
    for (const path of ['/a', '/b']) {
      client.fetchPage({ path, perPage: 1 }, run.signal).catch((error) => console.log(error.message));
    }
  `;
  const ended = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    script,
  ]);
  expect(ended.stdout).toBe('over\nover\n');
});
