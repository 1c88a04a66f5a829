import { expect, it } from 'vitest';
import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import { makeClient } from '../functions/adapters/service-api/service-client.ts';
import { floorplansOf, Site } from '../support/site.ts';

/** A service over HTTP that answers some lists with 401 although the token is good. */
class RejectingService {
  readonly rejected = new Set<string>();
  isTokenEndpointLimited = false;
  exchangeCount = 0;
  requestedPaths: string[] = [];
  #validToken = 0;
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  /** The token that was exchanged last is valid no more. */
  expireToken(): void {
    this.#validToken = -1;
  }

  /** The service as a new process sees it. */
  makeApi() {
    const accessTokens = new AccessTokenSource({
      authUrl: 'https://auth.example',
      secret: { name: 'secret', read: () => Promise.resolve('refresh') },
      fetch: this.#fetch,
      tries: 1,
    });
    return makeClient('https://service.example', {
      ...{ accessTokens, fetch: this.#fetch, tries: 1, clock: this.#site.clock },
    });
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.endsWith('/jwt')) {
      this.exchangeCount += 1;
      if (this.isTokenEndpointLimited) return new Response('', { status: 429 });
      this.#validToken = this.exchangeCount;
      return Response.json({ access_token: `token-${this.exchangeCount}` });
    }
    const path = pathname.replace('/api/v3', '');
    this.requestedPaths.push(path);
    const isValid = request.headers.get('authorization') === `Bearer token-${this.#validToken}`;
    if (!isValid || this.rejected.has(path)) return new Response('', { status: 401 });
    const lastSyncedAt = searchParams.get('last_synced_at');
    const {
      entities,
      hasMore,
      lastSyncedAt: last = '',
    } = await this.#site.api.fetchPage({
      ...{ path, perPage: Number(request.headers.get('Service-Per-Page')) },
      ...(lastSyncedAt !== null && { lastSyncedAt }),
    });
    const headers = { 'X-Has-More': String(hasMore), 'X-Last-Synced-At': last };
    return Response.json(entities, { headers });
  };
}

/** A caught-up site of 8 projects; the service rejects the floorplans of half of them from now on. */
async function rejectingSite() {
  const site = new Site();
  const service = new RejectingService(site);
  for (let n = 0; n < 8; n += 1) site.project(`p${n}`, n + 1);
  const api = service.makeApi();
  await site.poll({}, { api });
  for (let n = 0; n < 8; n += 2) service.rejected.add(floorplansOf(`p${n}`));
  service.exchangeCount = 1;
  return { site, service, api };
}

it('lists that are always answered with 401 back off alone, and cost one exchange', async () => {
  const { site, service, api } = await rejectingSite();
  let pollCount = 0;
  for (let minute = 0; minute < 16; minute += 1) {
    site.clock.advance(60_000);
    site.floorplan('p1', 'f', 100 + minute);
    service.requestedPaths = [];
    const { events } = await site.poll({}, { api });
    expect(events.created + events.updated).toBe(1);
    pollCount += service.requestedPaths.filter((path) => path === floorplansOf('p0')).length;
  }
  // After 1, 2, 4 and 8 minutes, as other refused lists; at first with a new token, too.
  expect(pollCount).toBe(6);
  expect(service.exchangeCount).toBe(2);
  const feed = await site.feed('projects/p0/floorplans');
  expect(feed?.wait?.failures).toBe(5);
  expect(feed?.wait?.cause).toContain('GET /projects/p0/floorplans was answered with 401');
  service.rejected.clear();
  site.clock.advance(3_600_000);
  await site.poll({}, { api });
  expect(await site.feed('projects/p0/floorplans')).not.toHaveProperty('wait');
});

it('lists that are answered with 401 cost each new process one exchange more at most', async () => {
  const { site, service } = await rejectingSite();
  for (let n = 0; n < 4; n += 1) {
    site.clock.advance(3_600_000);
    const before = service.exchangeCount;
    await site.poll({}, { api: service.makeApi() });
    expect(service.exchangeCount - before).toBeLessThanOrEqual(2);
  }
});

it('a list that is answered with 401 fails no others while the token endpoint fails', async () => {
  const { site, service, api } = await rejectingSite();
  site.clock.advance(60_000);
  await site.poll({}, { api });
  service.isTokenEndpointLimited = true;
  for (let n = 0; n < 3; n += 1) {
    site.clock.advance(60_000);
    site.floorplan('p1', 'f', 100 + n);
    const { events } = await site.poll({}, { api });
    expect(events.created + events.updated).toBe(1);
  }
  expect(service.exchangeCount).toBe(2);
});

it('an expired token costs one exchange, though some lists are always answered with 401', async () => {
  const { site, service, api } = await rejectingSite();
  for (let n = 0; n < 3; n += 1) {
    site.clock.advance(3_600_000);
    service.expireToken();
    site.floorplan('p1', 'f', 100 + n);
    const { events, waiting } = await site.poll({}, { api });
    expect({ changes: events.created + events.updated, waiting }).toEqual({
      changes: 1,
      waiting: 4,
    });
    expect(service.exchangeCount).toBe(2 + n);
  }
});
