import { describe, expect, it } from 'vitest';
import { answerWith, inTurn, page, serve } from '../../../support/local-server.ts';
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

    it.each(['', 'yesterday'])('unless its Date is "%s"', async (Date) => {
      const service = await serve((response) => page(response, [], { Date }));
      expect(await fetchProjects(service.url)).not.toHaveProperty('readAfter');
    });
  });

  it('that is broken once is received on the next try', async () => {
    const service = await serve(inTurn(answerWith(200), (response) => page(response, [PROJECT])));
    expect((await fetchProjects(service.url)).entities).toEqual([PROJECT]);
  });
});
