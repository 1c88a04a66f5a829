import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  PageTooLargeError,
  ProtocolError,
  ServiceError,
} from '../../../../functions/core/model/errors.ts';
import { page, rejection, serve } from '../../../support/local-server.ts';
import { ENTITY, LIST, makeClient } from './service-client.ts';

describe('the text of a body', () => {
  const fetchWith = async (type: string, encoding: BufferEncoding = 'latin1', name = 'Café') => {
    const bytes = Buffer.from(JSON.stringify([{ ...ENTITY, name }]), encoding);
    const headers = { 'X-Has-More': 'false', 'content-type': type };
    const service = await serve((response) => response.writeHead(200, headers).end(bytes));
    return makeClient(service.url, { tries: 1 }).fetchPage(LIST);
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

describe('a body', () => {
  it('is not kept alive if it trickles endlessly', async () => {
    const service = await serve((response) => {
      response.writeHead(200, { 'X-Has-More': 'false' });
      const timer = setInterval(() => response.write(' '), 10);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    const client = makeClient(service.url, { attemptTimeoutMs: 100, tries: 1 });
    const error = await rejection(client.fetchPage(LIST));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain('got no whole answer within 100 ms');
  });

  it('is closed when it has more bytes than the maximum, compressed or not', async () => {
    let closedCount = 0;
    const bytes = gzipSync(Buffer.alloc(1e7, ' '));
    const service = await serve((response) => {
      response.on('close', () => (closedCount += 1));
      response.writeHead(200, { 'X-Has-More': 'false', 'content-encoding': 'gzip' });
      response.write(bytes);
    });
    const client = makeClient(service.url, { maxBodyBytes: 1e6, tries: 1 });
    const error = await rejection(client.fetchPage(LIST));
    expect(error).toBeInstanceOf(PageTooLargeError);
    expect(String(error)).toContain('more than 1000000 bytes');
    await expect.poll(() => closedCount).toBe(1);
  });

  it('of one entity has the same maximum, and is read in the charset of its headers', async () => {
    const body = Buffer.from(JSON.stringify({ ...ENTITY, name: 'Café' }), 'latin1');
    const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
    const service = await serve((response) => response.writeHead(200, headers).end(body));
    const request = { path: `/projects/${ENTITY.id}` };
    const answer = await makeClient(service.url, { tries: 1 }).fetchEntity(request);
    expect(answer).toMatchObject({ entity: { name: 'Café' } });
    const small = makeClient(service.url, { tries: 1, maxBodyBytes: 10 });
    expect(await rejection(small.fetchEntity(request))).toBeInstanceOf(PageTooLargeError);
  });
});

it('a page that is smaller than asked for, and has more behind it, is said once', async () => {
  const headers = { 'X-Has-More': 'true' };
  const service = await serve((response) => page(response, [ENTITY], headers));
  const said: unknown[] = [];
  const client = makeClient(service.url, { onSmallPage: (each) => said.push(each) });
  await client.fetchPage({ ...LIST, perPage: 1 });
  await client.fetchPage({ ...LIST, perPage: 50 });
  await client.fetchPage({ ...LIST, perPage: 50 });
  expect(said).toEqual([{ path: LIST.path, asked: 50, got: 1 }]);
});
