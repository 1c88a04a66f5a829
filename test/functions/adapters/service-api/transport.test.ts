import { afterEach, describe, expect, it, vi } from 'vitest';
import { RateLimitedError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { type Clock } from '../../../../functions/core/ports/clock.ts';
import { answerWith, inTurn, json, rejection, serve } from '../../../support/local-server.ts';
import { stopwatchBy } from '../../../support/manual-clock.ts';
import { CountedTokens, LIST, fetchProjects, makeClient } from './service-client.ts';

/** Time of the faked timers. */
const fakedClock: Clock = {
  now: () => Date.now(),
  stopwatch: stopwatchBy(() => Date.now()),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

afterEach(() => {
  vi.useRealTimers();
});

describe('the request budget', () => {
  it('that is spent before a retry hides no failure of a list, so that it backs off', async () => {
    const service = await serve(answerWith(500));
    const client = makeClient(service.url, { requestsPerMinute: 2 });
    client.beginRun({ note: undefined, until: Date.now() + 30_000 });
    expect(await rejection(client.fetchPage(LIST))).toMatchObject({ status: 500 });
    expect(service.received).toHaveLength(2);
    expect(await rejection(client.fetchPage(LIST))).toBeInstanceOf(RateLimitedError);
  });
});

it('a retry waits as long as a 503 asks, and the next does not', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  const fetch = vi.fn(() => Promise.reject<Response>(new TypeError('fetch failed')));
  fetch.mockResolvedValueOnce(new Response('', { status: 503, headers: { 'Retry-After': '10' } }));
  const options = { tries: 3, clock: fakedClock, fetch };
  const failure = rejection(fetchProjects('http://service.invalid', options));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(fetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(fetch).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(fetch).toHaveBeenCalledTimes(3);
  expect(await failure).toBeInstanceOf(ServiceError);
});

it.each([408, 503])(
  'a request fails at once when a %i asks for more than ten seconds',
  async (status) => {
    const service = await serve(answerWith(status, {}, { 'Retry-After': '11' }));
    await expect(fetchProjects(service.url)).rejects.toMatchObject({
      name: 'ServiceError',
      status,
      retryAfterMs: 11_000,
    });
    expect(service.received).toHaveLength(1);
  },
);

const reason = new Error('the run is over');

/** A signal, and a way to abort it with the reason. */
function makeRun(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(reason);
  };
  return { signal: controller.signal, abort };
}

describe('a request whose signal is aborted rejects with the reason', () => {
  it.each(['the answer', 'the body', 'the body of an error'])(
    'while it waits for %s, and the connection is closed',
    async (part) => {
      let closed = false;
      const { signal, abort } = makeRun();
      const service = await serve((response) => {
        response.on('close', () => (closed = true));
        if (part === 'the body') response.writeHead(200, { 'X-Has-More': 'false' }).write('[');
        if (part === 'the body of an error') response.writeHead(500).write('[');
        setTimeout(abort, 20);
      });
      expect(await rejection(fetchProjects(service.url, {}, signal))).toBe(reason);
      await expect.poll(() => closed).toBe(true);
      expect(service.received).toHaveLength(1);
    },
  );
});

describe('a request that failed before its signal is aborted rejects with the last failure', () => {
  it('while it waits for a retry', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { signal, abort } = makeRun();
    const headers = { 'Retry-After': '9' };
    const fetch = vi.fn(() => Promise.resolve(new Response('', { status: 503, headers })));
    const failure = rejection(fetchProjects('http://service.invalid', { fetch }, signal));
    await vi.advanceTimersByTimeAsync(8000);
    abort();
    expect(await failure).toMatchObject({ name: 'ServiceError', status: 503 });
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

it.each([
  ['an error', [answerWith(500)], 2],
  ['an expired token', [answerWith(401)], 2],
  ['nothing', [], 1],
])('reports each request that is sent, after %s', async (_, answers, count) => {
  const service = await serve(inTurn(...answers, answerWith(200, [], { 'X-Has-More': 'false' })));
  const onRequest = vi.fn();
  await fetchProjects(service.url, { onRequest, accessTokens: new CountedTokens() });
  expect(onRequest).toHaveBeenCalledTimes(count);
});

it('a 429 whose pause outlasts the time fails its list, and a request that was not sent does not', async () => {
  const service = await serve((response) => json(response, 429, {}, { 'Retry-After': '3600' }));
  const client = makeClient(service.url);
  client.beginRun({ note: undefined, until: Date.now() + 60_000 });
  const failure = { name: 'ServiceError', status: 429, retryAfterMs: 3_600_000 };
  expect(await rejection(client.fetchPage(LIST))).toMatchObject(failure);
  expect(await rejection(client.fetchPage(LIST))).toBeInstanceOf(RateLimitedError);
  expect(service.received).toHaveLength(1);
});
