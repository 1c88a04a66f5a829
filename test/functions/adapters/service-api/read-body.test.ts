import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PageTooLargeError, ProtocolError } from '../../../../functions/core/model/errors.ts';
import { page, rejection, serve } from '../../../support/local-server.ts';
import { ENTITY, LIST, makeClient } from './service-client.ts';

it('a body that is not UTF-8 breaks the spec: a byte that is replaced would be lost in silence', async () => {
  const bytes = Buffer.from(JSON.stringify([{ ...ENTITY, name: 'Café' }]), 'latin1');
  const service = await serve((response) =>
    response.writeHead(200, { 'X-Has-More': 'false' }).end(bytes),
  );
  const error = await rejection(makeClient(service.url, { tries: 1 }).fetchPage(LIST));
  expect(error).toBeInstanceOf(ProtocolError);
  expect(String(error)).toContain('the body must be UTF-8');
});

describe('a body', () => {
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
