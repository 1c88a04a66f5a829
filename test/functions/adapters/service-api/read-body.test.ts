import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { PageTooLargeError, ServiceError } from '../../../../functions/core/model/errors.ts';
import type { PageHeaders, BodyReservation } from '../../../../functions/core/ports/service-api.ts';
import { json, page, rejection, serve } from '../../../support/local-server.ts';
import { makeClient } from './service-client.ts';

const LIST = { path: '/projects', perPage: 50 };
const ENTITY = { id: 'a', updated_at: '2026-03-02T08:00:00.000Z' };

/** Room that notes what is said to it, and is there when the test says so. */
class NotingRoom implements BodyReservation {
  readonly seen: (PageHeaders | number)[] = [];
  readonly #isThere: Promise<unknown>;
  readonly #most: number;

  constructor(isThere: Promise<unknown> = Promise.resolve(), most = Infinity) {
    this.#isThere = isThere;
    this.#most = most;
  }

  async acquire(head: PageHeaders, signal: AbortSignal): Promise<void> {
    this.seen.push(head);
    const aborted = new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
    await Promise.race([this.#isThere, aborted]);
  }

  onBytesRead(bytes: number): void {
    if (bytes > this.#most) throw new PageTooLargeError(bytes);
  }

  resize(bytes: number): void {
    this.seen.push(bytes);
  }
}

describe('room for a body', () => {
  const body = JSON.stringify([ENTITY]);
  const headers = { 'X-Has-More': 'false', 'X-Count': '1' };

  it.each([
    {
      what: 'all that the headers tell',
      answer: (response: ServerResponse) =>
        page(response, [ENTITY], {
          'Content-Length': String(body.length),
        }),
      head: {
        bytes: body.length,
        entities: 1,
      },
    },
    {
      what: 'nothing of its length, when it is encoded',
      answer: (response: ServerResponse) => {
        const encoded = gzipSync(body);
        response.writeHead(200, {
          ...headers,
          'Content-Encoding': 'gzip',
          'Content-Length': encoded.length,
        });
        response.end(encoded);
      },
      head: { entities: 1 },
    },
    {
      what: 'nothing, when the service says nothing',
      answer: (response: ServerResponse) => {
        response.writeHead(200, { 'X-Has-More': 'false' });
        response.write(body);
        response.end();
      },
      head: {},
    },
  ])('is asked for with $what, and then told how large it was', async ({ answer, head }) => {
    const service = await serve(answer);
    const reservation = new NotingRoom();
    const got = await makeClient(service.url).fetchPage({ ...LIST, reservation });
    expect(got.entities).toEqual([ENTITY]);
    expect(reservation.seen).toEqual([head, body.length]);
  });

  it('is waited for with the body unread, however long, and without a failure', async () => {
    const there = Promise.withResolvers<undefined>();
    let sent = 0;
    const service = await serve((response) => {
      response.writeHead(200, { 'X-Has-More': 'false' });
      const chunk = ' '.repeat(100_000);
      const send = (): void => {
        sent += 1;
        if (sent === 150) response.end(body);
        else if (response.write(chunk)) send();
        else response.once('drain', send);
      };
      send();
    });
    const reservation = new NotingRoom(there.promise);
    const client = makeClient(service.url, { attemptTimeoutMs: 500, tries: 1 });
    const got = client.fetchPage({ ...LIST, reservation });
    await expect.poll(() => reservation.seen).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 700));
    // What is on its way fills buffers of the system, but no more.
    expect(sent).toBeLessThan(150);
    there.resolve(undefined);
    expect((await got).entities).toEqual([ENTITY]);
    expect(service.received).toHaveLength(1);
  });

  it('does not keep a body alive that trickles for ever', async () => {
    const service = await serve((response) => {
      response.writeHead(200, { 'X-Has-More': 'false' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const reservation = new NotingRoom();
    const client = makeClient(service.url, { attemptTimeoutMs: 100, tries: 1 });
    const error = await rejection(client.fetchPage({ ...LIST, reservation }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain('got no whole answer within 100 ms');
    expect(reservation.seen.at(-1)).toBe(0);
  });

  it('is given back by an attempt that fails, before the next one asks', async () => {
    const service = await serve((response) => {
      if (service.received.length === 1) json(response, 200, {}, { 'X-Has-More': 'false' });
      else if (service.received.length === 2) json(response, 500, {});
      else page(response, [ENTITY]);
    });
    const reservation = new NotingRoom();
    await makeClient(service.url).fetchPage({ ...LIST, reservation });
    expect(reservation.seen).toEqual([{}, 2, 0, 0, { entities: 1 }, body.length]);
  });

  it('is waited for no longer when the signal is aborted', async () => {
    const reason = new Error('the run is over');
    const run = new AbortController();
    let closed = false;
    const service = await serve((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'X-Has-More': 'false' }).write('[');
    });
    const reservation = new NotingRoom(new Promise(() => undefined));
    const failure = rejection(
      makeClient(service.url).fetchPage({ ...LIST, reservation }, run.signal),
    );
    await expect.poll(() => reservation.seen).toHaveLength(1);
    run.abort(reason);
    expect(await failure).toBe(reason);
    await expect.poll(() => closed).toBe(true);
  });
});

describe('a body that is too large for its room', () => {
  it('is read no further, and not asked for once more', async () => {
    let closed = false;
    const service = await serve((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'X-Has-More': 'false' }).write(' '.repeat(100_000));
    });
    const reservation = new NotingRoom(undefined, 50_000);
    const error = await rejection(makeClient(service.url).fetchPage({ ...LIST, reservation }));
    expect(error).toBeInstanceOf(PageTooLargeError);
    expect(reservation.seen.at(-1)).toBe(0);
    expect(service.received).toHaveLength(1);
    await expect.poll(() => closed).toBe(true);
  });

  it('by what it says of itself is not read at all', async () => {
    let closed = false;
    const service = await serve((response) => {
      response.on('close', () => (closed = true));
      response.writeHead(200, { 'X-Has-More': 'false', 'Content-Length': '9' }).write('[');
    });
    const reservation = new NotingRoom();
    vi.spyOn(reservation, 'acquire').mockRejectedValue(new PageTooLargeError(9));
    const error = await rejection(makeClient(service.url).fetchPage({ ...LIST, reservation }));
    expect(error).toBeInstanceOf(PageTooLargeError);
    await expect.poll(() => closed).toBe(true);
  });
});
