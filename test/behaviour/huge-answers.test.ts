import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import { fetchProjects, makeClient } from '../functions/adapters/service-api/service-client.ts';
import { rejection, page, serve, type Answering } from '../support/local-server.ts';
import { entityAt, Site } from '../support/site.ts';

/** 300 MB of spaces in 0.3 MB. */
const HUGE = Buffer.concat(Array<Buffer>(30).fill(gzipSync(Buffer.alloc(1e7, ' '))));

const answerHuge =
  (status: number): Answering =>
  (response) =>
    response.writeHead(status, { 'content-encoding': 'gzip', 'X-Has-More': 'false' }).end(HUGE);

/** A fetch that remembers the bytes of the largest body that was read, decompressed. */
function measuringFetch() {
  let most = 0;
  const measured: typeof fetch = async (...request) => {
    const response = await fetch(...request);
    let bytes = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        most = Math.max(most, bytes);
        controller.enqueue(chunk);
      },
    });
    const { status, headers } = response;
    return new Response(response.body?.pipeThrough(counter), { status, headers });
  };
  return { fetch: measured, mostBytes: () => most };
}

/** Bytes that streams may hold besides those that are read. */
const BUFFERED = 500_000;

describe('of an answer with hundreds of MB', () => {
  it('64 KB are read if it is an error', async () => {
    const service = await serve(answerHuge(500));
    const { fetch, mostBytes } = measuringFetch();
    const error = await rejection(fetchProjects(service.url, { fetch }));
    expect(error).toMatchObject({ name: 'ServiceError', status: 500 });
    expect(mostBytes()).toBeLessThan(65_536 + BUFFERED);
  });

  it.each([
    [200, 'without a valid access_token'],
    [500, 'was answered with 500'],
    [403, 'was refused'],
  ])('64 KB are read if it should be a token: %i', async (status, message) => {
    const auth = await serve(answerHuge(status));
    const { fetch, mostBytes } = measuringFetch();
    const secret = { name: 'secret', read: () => Promise.resolve('refresh-token') };
    const options = { authUrl: auth.url, secret, retryBaseMs: 1, fetch };
    const error = await rejection(new AccessTokenSource(options).get());
    expect(String(error)).toContain(message);
    expect(mostBytes()).toBeLessThan(65_536 + BUFFERED);
  });

  it('8 MB are read if it is the smallest page; its feed fails, and others go on', async () => {
    const { mostBytes, logs } = await pollBeside(answerHuge(200));
    expect(logs).toEqual([failureOf(/^An answer has more than 8000000 bytes/)]);
    expect(mostBytes()).toBeLessThan(8e6 + BUFFERED);
  });
});

/** Polls two projects. The floorplans of one are answered so, and must fail alone. */
async function pollBeside(answer: Answering) {
  const service = await serve((response, received, request) => {
    const has = (path: string) => received.url.includes(path);
    if (has('/p/floorplans')) return answer(response, received, request);
    if (has('/floorplans')) return page(response, [entityAt('f', 3)]);
    return page(response, has('_checklists') ? [] : [entityAt('p', 1), entityAt('q', 2)]);
  });
  const { fetch, mostBytes } = measuringFetch();
  const site = new Site();
  const { waiting, events } = await site.poll(
    { baseline: 'emit' },
    { api: makeClient(service.url, { fetch, maxBodyBytes: 8e6 }) },
  );
  expect({ waiting, created: events.created }).toEqual({
    waiting: 1,
    created: 3,
  });
  return { mostBytes, logs: site.telemetry.logs };
}

const failureOf = (message: RegExp): unknown =>
  expect.objectContaining({
    message: expect.stringMatching('A list waits') as unknown,
    error: expect.objectContaining({
      name: 'PageTooLargeError',
      message: expect.stringMatching(message) as unknown,
      hint: expect.stringContaining('Raise memoryMb') as unknown,
    }) as unknown,
  });
