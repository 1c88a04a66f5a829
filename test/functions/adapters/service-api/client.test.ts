import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../../functions/core/model/errors.ts';
import { answerWith, inTurn, page, rejection, serve } from '../../../support/local-server.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { ENTITY as PROJECT, LIST, TOKEN, fetchProjects, makeClient } from './service-client.ts';

describe('a page of a list', () => {
  it('is requested with the token, the page size, the version and the cursor exactly as given', async () => {
    const service = await serve((response) => page(response));
    const client = makeClient(`${service.url}/`, { serviceVersion: '2021-03-29' });
    await client.fetchPage({
      path: '/projects/1/floorplans',
      query: { with_current_sheet: 'true' },
      lastSyncedAt: '2024-01-02T03:04:05.678+00:00',
      perPage: 1000,
    });
    const [request] = service.received;
    const url = new URL(request?.url ?? '', service.url);
    expect(request?.method).toBe('GET');
    expect(url.pathname).toBe('/api/v3/projects/1/floorplans');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      with_current_sheet: 'true',
      last_synced_at: '2024-01-02T03:04:05.678+00:00',
    });
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
      'service-version': '2021-03-29',
      'service-per-page': '1000',
    });
  });

  it('is requested with the header names and the extra headers of a deployment', async () => {
    const service = await serve((response) => page(response));
    const headers = {
      ...{ version: 'Brand-Version', perPage: 'Brand-Per-Page' },
      extra: { 'Brand-Filter': 'all' },
    };
    const client = makeClient(service.url, { serviceVersion: '2021-03-29', headers });
    await client.fetchPage(LIST);
    await client.fetchEntity({ path: '/projects/1' }).catch(() => undefined);
    const sizes = service.received.map((request) => request.headers['brand-per-page']);
    expect(sizes.slice(0, 2)).toEqual(['50', undefined]);
    for (const request of service.received) {
      expect(request.headers).toMatchObject({
        ...{ authorization: `Bearer ${TOKEN}`, accept: 'application/json' },
        ...{ 'brand-version': '2021-03-29', 'brand-filter': 'all' },
      });
      expect(request.headers).not.toHaveProperty('service-version');
      expect(request.headers).not.toHaveProperty('service-per-page');
    }
  });

  it('is requested without cursor and version when there are none', async () => {
    const service = await serve((response) => page(response));
    await fetchProjects(service.url);
    expect(service.received[0]?.url).toBe('/api/v3/projects');
    expect(service.received[0]?.headers).not.toHaveProperty('service-version');
    expect(service.received[0]?.headers).not.toHaveProperty('content-type');
  });

  it('is an empty last one if the answer is 204, whatever its headers say', async () => {
    const service = await serve((response) =>
      response.writeHead(204, { 'X-Has-More': 'true', 'X-Count': '3' }).end(),
    );
    expect(await fetchProjects(service.url)).toMatchObject({
      entities: [],
      invalid: [],
      hasMore: false,
    });
    const one = makeClient(service.url).fetchEntity({ path: '/projects/p' });
    await expect(one).rejects.toThrow('GET /projects/p: the body');
  });

  it('comes with its entities as sent, whether there is more, and the cursor exactly as sent', async () => {
    const broken = { id: PROJECT.id, updated_at: 'yesterday' };
    const service = await serve((response) =>
      page(response, [PROJECT, broken, 7], {
        'X-Has-More': 'TRUE',
        'X-Last-Synced-At': '2024-01-02T03:04:05.6+00:00',
      }),
    );
    const got = await fetchProjects(service.url);
    expect(got).toEqual({
      entities: [PROJECT],
      invalid: [
        { value: broken, reason: expect.stringContaining('updated_at') as string },
        { value: 7, reason: expect.stringContaining('object') as string },
      ],
      hasMore: true,
      lastSyncedAt: '2024-01-02T03:04:05.6+00:00',
    });
  });

  it('comes with its numbers as sent', async () => {
    const json = `[{"id":"a","updated_at":"${PROJECT.updated_at}","n":[9007199254740993,1e400]}]`;
    const service = await serve((response) => {
      response.writeHead(200, { 'X-Has-More': 'false' }).end(json);
    });
    expect(JSON.stringify((await fetchProjects(service.url)).entities)).toBe(json);
  });

  it.each(['', ' ', 'soon', '2016-12-31T23:59:60.000Z', '10000-01-01T00:00:00.000Z', undefined])(
    'that is the last one may come with any cursor, or none: %j',
    async (cursor) => {
      const headers = cursor === undefined ? {} : { 'X-Last-Synced-At': cursor };
      const service = await serve((response) => page(response, [], headers));
      const got = await fetchProjects(service.url);
      expect(got).toEqual({ entities: [], invalid: [], hasMore: false });
    },
  );

  it.each([
    'X-Has-More: true ',
    'X-Has-More:true\t\r\nX-Count: 1 \r\nX-Last-Synced-At:  2024-01-02T03:04:05.678Z ',
    'X-Has-More: true\r\nX-Has-More: true\r\nX-Count: 1\r\nX-Count: 1',
    'X-Has-More: true\r\nX-Count: ',
  ])('may have white space around its headers, and equal headers twice: %j', async (raw) => {
    const { id, updated_at } = PROJECT;
    const body = JSON.stringify([{ id, updated_at }]);
    const service = await serve((response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\n${raw}\r\nConnection: close\r\n\r\n${body}`);
    });
    const got = await fetchProjects(service.url, { tries: 1 });
    expect(got).toMatchObject({ entities: [{ id }], hasMore: true });
    if (got.lastSyncedAt !== undefined) expect(got.lastSyncedAt).toBe(updated_at);
  });

  describe('has a time after which it was read', () => {
    const date = { Date: 'Sat, 21 Nov 2026 09:00:03 GMT' };

    it('is its Date less the duration of the request', async () => {
      const clock = new ManualClock();
      const service = await serve((response) => {
        clock.advance(1_500);
        page(response, [], date);
      });
      const { readAfter } = await fetchProjects(service.url, { clock });
      expect(readAfter).toBe('2026-11-21T09:00:01.500Z');
    });

    it('does not count the wait for its turn', async () => {
      const clock = new ManualClock();
      const get = () => {
        clock.advance(60_000);
        return Promise.resolve(TOKEN);
      };
      const service = await serve((response) => page(response, [], date));
      const options = { clock, accessTokens: { get, renew: get } };
      const { readAfter } = await fetchProjects(service.url, options);
      expect(readAfter).toBe('2026-11-21T09:00:03.000Z');
    });

    it.each([
      '',
      'yesterday',
      'Sat, 21 Nov 99999 09:00:03 GMT',
      'Sat, 21 Nov 2026 09:00:03 GMT, Sat, 21 Nov 2026 09:00:03 GMT',
    ])('unless its Date is "%s"', async (Date) => {
      const service = await serve((response) => page(response, [], { Date }));
      expect(await fetchProjects(service.url)).not.toHaveProperty('readAfter');
    });
  });

  it('may come without X-Count', async () => {
    const service = await serve(answerWith(200, [PROJECT], { 'X-Has-More': 'false' }));
    const got = await fetchProjects(service.url);
    expect(got.entities).toEqual([PROJECT]);
  });

  it.each([
    { why: 'X-Has-More is absent', headers: {}, body: '[]', names: 'X-Has-More' },
    { why: 'X-Has-More is no boolean', headers: { 'X-Has-More': '1' }, body: '[]', names: '"1"' },
    { why: 'the body is an object', headers: {}, body: '{"a":1}', names: 'got an object' },
    {
      why: 'the body is cut',
      headers: {},
      body: '[{"id":"a"',
      names: 'must be JSON, got a text of 10 characters',
    },
    { why: 'the body is empty', headers: {}, body: '', names: 'got a text of 0 characters' },
    {
      why: 'X-Count is not the number of entities',
      headers: { 'X-Has-More': 'false', 'X-Count': '3' },
      body: '[{}, {}]',
      names: 'X-Count must be the number of entities in the body, 2, got "3"',
    },
    {
      why: 'X-Last-Synced-At is no timestamp',
      headers: { 'X-Has-More': 'true', 'X-Last-Synced-At': 'soon' },
      body: '[]',
      names: '"soon"',
    },
    {
      why: 'X-Has-More is sent twice with two values',
      headers: { 'X-Has-More': 'true, false' },
      body: '[]',
      names: '"true, false"',
    },
  ])('is requested four times and then is a ProtocolError when $why', async (answer) => {
    const service = await serve((response) => {
      response.writeHead(200, answer.headers).end(answer.body);
    });
    const error = await rejection(fetchProjects(service.url));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).toContain('GET /projects');
    expect(String(error)).toContain(answer.names);
    expect(service.received).toHaveLength(4);
  });

  it.each(['[{"name":"Tower"}', '{"name":"Tower"}', '["Tower"', '"Tower"', 'Tower'])(
    'has its content kept out of the message, and apart for debugging, when it is %s',
    async (body) => {
      const service = await serve((response) => {
        response.writeHead(200, { 'X-Has-More': 'false' }).end(body);
      });
      const error = await rejection(fetchProjects(service.url));
      expect(String(error)).not.toContain('Tower');
      expect(error).toMatchObject({ name: 'ProtocolError', excerpt: body });
    },
  );

  it('that is broken once is received on the next try', async () => {
    const service = await serve(inTurn(answerWith(200), (response) => page(response, [PROJECT])));
    expect((await fetchProjects(service.url)).entities).toEqual([PROJECT]);
  });

  it('follows others over connections that are kept alive', async () => {
    const service = await serve((response) => page(response, [PROJECT]));
    const client = makeClient(service.url);
    for (let time = 0; time < 20; time++) await client.fetchPage(LIST);
    expect(service.received).toHaveLength(20);
    expect(service.sockets.size).toBeLessThan(5);
  });
});
