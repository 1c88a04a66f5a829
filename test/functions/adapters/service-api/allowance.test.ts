import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { json, page, serve } from '../../../support/local-server.ts';
import { makeClient } from './service-client.ts';

const LIST = { path: '/projects', perPage: 50 };

describe('the allowance', () => {
  test('is what is left of the minute, for requests that neither began nor wait', async () => {
    const clock = new ManualClock();
    const answered = Promise.withResolvers<undefined>();
    const service = await serve(async (response) => {
      await answered.promise;
      page(response);
    });
    const client = makeClient(service.url, { clock, requestsPerMinute: 8, concurrency: 2 });
    expect(client.allowance(45_000)).toEqual({ requests: 8, perMinute: 8 });

    const all = Promise.all([1, 2, 3].map(() => client.fetchPage(LIST)));
    await expect.poll(() => service.received.length).toBe(2);
    expect(client.allowance(45_000)).toEqual({ requests: 5, perMinute: 8 });
    answered.resolve(undefined);
    await all;
    expect(client.allowance(45_000)).toEqual({ requests: 5, perMinute: 8 });
    expect(client.allowance(60_000)).toEqual({ requests: 8, perMinute: 8 });
    clock.advance(60_000);
    expect(client.allowance(1000)).toEqual({ requests: 8, perMinute: 8 });
  });

  test('is nothing while the service wants a pause, and half of it afterwards', async () => {
    const clock = new ManualClock();
    let isLimited = true;
    const service = await serve((response) => {
      if (isLimited) json(response, 429, {}, { 'Retry-After': '30' });
      else page(response);
      isLimited = false;
    });
    const client = makeClient(service.url, { clock, requestsPerMinute: 100 });

    const fetched = client.fetchPage(LIST);
    await expect.poll(() => clock.sleeping).toBe(1);
    expect(client.allowance(30_000)).toEqual({ requests: 0, perMinute: 50 });
    expect(client.allowance(30_001).requests).toBeGreaterThan(0);
    clock.advance(30_000);
    await fetched;
    expect(client.allowance(15_000)).toEqual({ requests: 48, perMinute: 50 });
    clock.advance(600_000);
    expect(client.allowance(15_000)).toEqual({ requests: 100, perMinute: 100 });
  });

  test('is halved once by requests that were refused together', async () => {
    const clock = new ManualClock();
    const all = Promise.withResolvers<undefined>();
    const service = await serve(async (response) => {
      const n = service.received.length;
      if (n === 4) all.resolve(undefined);
      await all.promise;
      if (n <= 4) json(response, 429, {}, { 'Retry-After': '9' });
      else page(response);
    });
    const client = makeClient(service.url, { clock, requestsPerMinute: 100, concurrency: 4 });

    const fetched = Promise.all([1, 2, 3, 4].map(() => client.fetchPage(LIST)));
    // Each waits to be tried again.
    await expect.poll(() => clock.sleeping).toBe(4);
    await new Promise(setImmediate);
    expect(client.allowance(60_000).perMinute).toBe(50);
    clock.advance(9000);
    await fetched;
  });
});

test('after a 429 fewer requests begin in a minute', async () => {
  const clock = new ManualClock();
  const together = Promise.withResolvers<undefined>();
  const service = await serve(async (response) => {
    const n = service.received.length;
    if (n === 6) together.resolve(undefined);
    await together.promise;
    if (n === 6) json(response, 429, {}, { 'Retry-After': '1' });
    else page(response);
  });
  const client = makeClient(service.url, { clock, requestsPerMinute: 8 });

  const six = Promise.all([1, 2, 3, 4, 5, 6].map(() => client.fetchPage(LIST)));
  await expect.poll(() => clock.sleeping).toBe(1);
  clock.advance(1000);
  await six;
  const next = client.fetchPage(LIST);
  await expect.poll(() => clock.sleeping).toBe(1);
  clock.advance(58_000);
  await new Promise(setImmediate);
  expect(service.received).toHaveLength(7);
  clock.advance(1000);
  await next;
  expect(service.received).toHaveLength(8);
});
