import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import {
  PageTooLargeError,
  ProtocolError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import type { PageHeaders, BodyReservation } from '../../../../functions/core/ports/service-api.ts';
import {
  answerWith,
  inTurn,
  page,
  rejection,
  serve,
  type Answering,
} from '../../../support/local-server.ts';
import { ENTITY, LIST, makeClient } from './service-client.ts';

/** Records its calls. Memory is there when the test says so. */
class RecordingReservation implements BodyReservation {
  readonly seen: (PageHeaders | number)[] = [];
  readonly #isThere: Promise<unknown>;
  readonly maxBytes: number;

  constructor(isThere: Promise<unknown> = Promise.resolve(), maxBytes = Infinity) {
    this.#isThere = isThere;
    this.maxBytes = maxBytes;
  }

  async acquire(headers: PageHeaders, signal: AbortSignal): Promise<void> {
    this.seen.push(headers);
    const aborted = once(signal, 'abort').then(() => {
      throw signal.reason as Error;
    });
    await Promise.race([this.#isThere, aborted]);
  }

  onBytesRead(bytes: number): undefined {
    if (bytes > this.maxBytes) throw new PageTooLargeError(`${bytes} bytes`);
  }

  resize(bytes: number): void {
    this.seen.push(bytes);
  }

  onWeighed(): undefined {
    return undefined;
  }
}

/** Starts a body that never ends, and knows whether its connection was closed. */
async function serveEndless(start: string, headers: Record<string, string> = {}) {
  const state = { closed: false };
  const service = await serve((response) => {
    response.on('close', () => (state.closed = true));
    response.writeHead(200, { 'X-Has-More': 'false', ...headers }).write(start);
  });
  return { ...service, isClosed: () => state.closed };
}

describe('memory for a body', () => {
  const body = JSON.stringify([ENTITY]);
  const headers = { 'X-Has-More': 'false', 'X-Count': '1' };

  it.each<[string, Answering, PageHeaders]>([
    [
      'the length and the count of the headers',
      (response) => page(response, [ENTITY], { 'Content-Length': String(body.length) }),
      { bytes: body.length, entities: 1 },
    ],
    [
      'the count alone when the body is encoded',
      (response) => {
        const encoded = gzipSync(body);
        const encoding = { 'Content-Encoding': 'gzip', 'Content-Length': encoded.length };
        response.writeHead(200, { ...headers, ...encoding }).end(encoded);
      },
      { entities: 1 },
    ],
    [
      'nothing when the headers name neither',
      (response) => {
        response.writeHead(200, { 'X-Has-More': 'false' }).write(body);
        response.end();
      },
      {},
    ],
  ])('is requested with %s, and then resized to the real size', async (_, answer, requested) => {
    const service = await serve(answer);
    const reservation = new RecordingReservation();
    const got = await makeClient(service.url).fetchPage({ ...LIST, reservation });
    expect(got.entities).toEqual([ENTITY]);
    expect(reservation.seen).toEqual([requested, body.length]);
  });

  it('is waited for, however long, with the body unread', async () => {
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
    const reservation = new RecordingReservation(there.promise);
    const client = makeClient(service.url, { attemptTimeoutMs: 2_000, tries: 1 });
    const got = client.fetchPage({ ...LIST, reservation });
    await expect.poll(() => reservation.seen).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    // Only the buffers of the system are filled.
    expect(sent).toBeLessThan(150);
    there.resolve(undefined);
    expect((await got).entities).toEqual([ENTITY]);
    expect(service.received).toHaveLength(1);
  });

  it.each([
    ['onBytesRead', 'within a body whose headers say that it is empty', 1],
    ['onWeighed', 'for many small values before they are parsed', 2],
  ] as const)('is waited for by %s %s', async (name, _, seenCount) => {
    const there = Promise.withResolvers<undefined>();
    const service = await serve((response) => page(response, [ENTITY]));
    const reservation = new RecordingReservation();
    const reported = vi.spyOn(reservation, name);
    reported.mockReturnValueOnce(there.promise as never);
    const client = makeClient(service.url, { attemptTimeoutMs: 500, tries: 1 });
    const got = client.fetchPage({ ...LIST, reservation });
    const reportedCount = name === 'onBytesRead' ? body.length : 4 * 200 + 4 * 50;
    await expect.poll(() => reported.mock.calls).toEqual([[reportedCount, expect.anything()]]);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(reservation.seen).toHaveLength(seenCount);
    there.resolve(undefined);
    expect((await got).entities).toEqual([ENTITY]);
  });

  it('does not keep alive a body that trickles endlessly', async () => {
    const service = await serve((response) => {
      response.writeHead(200, { 'X-Has-More': 'false' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const reservation = new RecordingReservation();
    const client = makeClient(service.url, { attemptTimeoutMs: 100, tries: 1 });
    const error = await rejection(client.fetchPage({ ...LIST, reservation }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain('got no whole answer within 100 ms');
    expect(reservation.seen.at(-1)).toBe(0);
  });

  it('is returned by a failed attempt before the next one requests it', async () => {
    const broken = answerWith(200, {}, { 'X-Has-More': 'false' });
    const good: Answering = (response) => page(response, [ENTITY]);
    const service = await serve(inTurn(broken, answerWith(500), good));
    const reservation = new RecordingReservation();
    await makeClient(service.url).fetchPage({ ...LIST, reservation });
    expect(reservation.seen).toEqual([{}, 2, 0, 0, { entities: 1 }, body.length]);
  });

  it('is not waited for after the signal is aborted', async () => {
    const reason = new Error('the run is over');
    const run = new AbortController();
    const service = await serveEndless('[');
    const reservation = new RecordingReservation(new Promise(() => undefined));
    const fetched = makeClient(service.url).fetchPage({ ...LIST, reservation }, run.signal);
    const failure = rejection(fetched);
    await expect.poll(() => reservation.seen).toHaveLength(1);
    run.abort(reason);
    expect(await failure).toBe(reason);
    await expect.poll(service.isClosed).toBe(true);
  });
});

describe('the text of a body', () => {
  const fetchWith = async (type: string, encoding: BufferEncoding = 'latin1', name = 'Café') => {
    const bytes = Buffer.from(JSON.stringify([{ ...ENTITY, name }]), encoding);
    const headers = { 'X-Has-More': 'false', 'content-type': type };
    const service = await serve((response) => response.writeHead(200, headers).end(bytes));
    const reservation = new RecordingReservation();
    return makeClient(service.url, { tries: 1 }).fetchPage({ ...LIST, reservation });
  };

  it('that is not UTF-8 breaks the spec: a byte that is replaced would be lost in silence', async () => {
    const error = await rejection(fetchWith('application/json'));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).toContain('the body must be text in utf-8');
  });

  it.each([
    ['the charset of its headers', 'ISO-8859-1', 'latin1', 'Café'],
    ['the charset of its headers, also if it could be UTF-8', 'ISO-8859-1', 'latin1', 'CafÃ©'],
    ['the charset of its headers, also if it is plain', 'utf-16', 'utf16le', 'Cafe'],
    ['UTF-8 if nobody knows its charset', 'klingon', 'utf8', 'Café'],
    ['UTF-8, which ASCII is a part of', 'US-ASCII', 'utf8', 'Café'],
    ['UTF-8, by the other name of ASCII, too', 'ANSI_X3.4-1968', 'utf8', 'Café'],
  ] as const)('is read as %s', async (_, charset, encoding, name) => {
    const { entities } = await fetchWith(`application/json; Charset="${charset}"`, encoding, name);
    expect(entities).toMatchObject([{ name }]);
  });

  it('that is not UTF-8 cannot be read if nobody knows its charset', async () => {
    const error = await rejection(fetchWith('application/json; charset=klingon'));
    expect(String(error)).toContain('the body must be text in klingon');
  });
});

describe('the body of a call without a reservation', () => {
  const PATH = `/projects/${ENTITY.id}`;
  const fetchEntity = async (body: Uint8Array, headers: Record<string, string>) => {
    const service = await serve((response) => response.writeHead(200, headers).end(body));
    return makeClient(service.url, { tries: 1 }).fetchEntity({ path: PATH });
  };
  const latin1 = Buffer.from(JSON.stringify({ ...ENTITY, name: 'Café' }), 'latin1');

  it('is read in the charset of its headers', async () => {
    const type = 'application/json; charset=iso-8859-1';
    const answer = await fetchEntity(latin1, { 'content-type': type });
    expect(answer).toMatchObject({ entity: { name: 'Café' } });
  });

  it('breaks the spec if it is no text', async () => {
    const error = await rejection(fetchEntity(latin1, { 'content-type': 'application/json' }));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).toContain(`GET ${PATH}: the body must be text in utf-8`);
  });

  /** 70 MB of spaces, in 70 KB. */
  const huge = Buffer.concat(Array<Buffer>(7).fill(gzipSync(Buffer.alloc(1e7, ' '))));
  it.each<[string, Buffer, Record<string, string>]>([
    ['by its headers', Buffer.alloc(0), { 'content-length': '64000001' }],
    ['by its bytes', huge, { 'content-encoding': 'gzip' }],
    ['by its many small values', Buffer.from(`[${'{},'.repeat(260_000)}{}]`), {}],
  ])('has a maximum: it is not parsed if it is larger %s', async (_, body, headers) => {
    const error = await rejection(fetchEntity(body, headers));
    expect(error).toBeInstanceOf(PageTooLargeError);
    expect(String(error)).toContain('64000000');
  });
});

describe('a body that is too large for its reservation', () => {
  it('is not read to its end and not requested again', async () => {
    const service = await serveEndless(' '.repeat(100_000));
    const reservation = new RecordingReservation(undefined, 50_000);
    const fetched = makeClient(service.url).fetchPage({ ...LIST, reservation });
    await expect(fetched).rejects.toThrow(PageTooLargeError);
    expect(reservation.seen.at(-1)).toBe(0);
    expect(service.received).toHaveLength(1);
    await expect.poll(service.isClosed).toBe(true);
  });

  it('by its headers is not read at all', async () => {
    const service = await serveEndless('[', { 'Content-Length': '9' });
    const reservation = new RecordingReservation();
    vi.spyOn(reservation, 'acquire').mockRejectedValue(new PageTooLargeError('9 bytes'));
    const fetched = makeClient(service.url).fetchPage({ ...LIST, reservation });
    await expect(fetched).rejects.toThrow(PageTooLargeError);
    await expect.poll(service.isClosed).toBe(true);
  });
});
