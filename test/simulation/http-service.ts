import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import { ServiceApiClient } from '../../functions/adapters/service-api/service-client.ts';
import { ServiceError } from '../../functions/core/model/errors.ts';
import type { Page, PageRequest } from '../../functions/core/ports/service-api.ts';
import type { Random } from '../../infra/local/simulator/world/random.ts';
import type { SimulatedService } from './service.ts';

const BASE_URL = 'https://service.example';
const REFRESH_TOKEN = 'the refresh token';

/** Number of spoiled answers in a hundred, by kind. */
const SPOILED = {
  expired: 4,
  throttled: 3,
  unavailable: 3,
  disconnected: 2,
  cut: 2,
  wrapped: 2,
  unsaid: 2,
  miscounted: 1,
} as const;
type Spoil = keyof typeof SPOILED;

/** A younger token is not renewed. */
const SHORTEST_LIFETIME_MS = 10_000;

/**
 * The simulated service behind the real HTTP client: tokens expire, answers are late, broken or missing.
 * The client's own retries and waits take no virtual time.
 */
export class HttpService {
  readonly #luck: Random;
  readonly #client: ServiceApiClient;
  #tokens = 0;
  #issuedAt = 0;
  /** How far the client's clock is ahead: it sleeps without waiting. */
  #sleptMs = 0;
  #asked: { readonly service: SimulatedService; readonly now: number } | undefined;

  constructor(luck: Random) {
    this.#luck = luck;
    const fetch: typeof globalThis.fetch = (input, init) =>
      Promise.resolve().then(() => this.#answer(new Request(input, init)));
    this.#client = new ServiceApiClient({
      baseUrl: BASE_URL,
      accessTokens: new AccessTokenSource({
        authUrl: BASE_URL,
        secret: { name: 'refresh-token', read: () => Promise.resolve(REFRESH_TOKEN) },
        retryBaseMs: 1,
        fetch,
        now: () => this.#now,
      }),
      requestsPerMinute: 1e9,
      retryBaseMs: 1,
      clock: {
        ...systemClock,
        now: () => this.#now,
        sleep: (milliseconds) => {
          this.#sleptMs += Math.max(0, milliseconds);
          return Promise.resolve();
        },
      },
      fetch,
    });
  }

  /** Reads one page at a time, since virtual time stands still meanwhile. */
  async page(service: SimulatedService, request: PageRequest, now: number): Promise<Page> {
    this.#asked = { service, now };
    return this.#client.fetchPage(request);
  }

  get #now(): number {
    return (this.#asked?.now ?? 0) + this.#sleptMs;
  }

  #answer(request: Request): Response {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/api_keys/jwt') {
      this.#tokens += 1;
      this.#issuedAt = this.#now;
      return Response.json({ access_token: this.#token });
    }
    const spoil = this.#spoil();
    const isOld = this.#now >= this.#issuedAt + SHORTEST_LIFETIME_MS;
    if (spoil === 'expired' && isOld) this.#tokens += 1;
    if (request.headers.get('authorization') !== `Bearer ${this.#token}`) {
      return Response.json({ error: 'expired' }, { status: 401 });
    }
    if (spoil === 'disconnected') throw new TypeError('fetch failed');
    if (spoil === 'throttled') {
      return new Response('slow down', { status: 429, headers: { 'Retry-After': '0' } });
    }
    if (spoil === 'unavailable') return new Response('<html>', { status: 503 });
    return this.#page(
      {
        path: pathname.replace('/api/v3', ''),
        query: Object.fromEntries(searchParams),
        ...(searchParams.has('last_synced_at') && {
          lastSyncedAt: searchParams.get('last_synced_at') ?? '',
        }),
        perPage: Number(request.headers.get('Service-Per-Page')),
      },
      spoil,
    );
  }

  #page(request: PageRequest, spoil: Spoil | undefined): Response {
    if (this.#asked === undefined) throw new Error('nobody asks for a page');
    const { service, now } = this.#asked;
    try {
      const { body, entities, hasMore, lastSyncedAt } = service.answer(request, now);
      const date = service.dateAt(now);
      const json = spoil === 'wrapped' ? `{"data":${body}}` : body;
      return new Response(spoil === 'cut' ? json.slice(0, -1) : json, {
        headers: {
          'X-Count': String(entities + (spoil === 'miscounted' ? 1 : 0)),
          ...(spoil !== 'unsaid' && { 'X-Has-More': String(hasMore) }),
          ...(lastSyncedAt !== undefined && { 'X-Last-Synced-At': lastSyncedAt }),
          ...(date !== undefined && { Date: new Date(date).toUTCString() }),
        },
      });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return Response.json({ error: 'refused' }, { status: error.status ?? 500 });
    }
  }

  get #token(): string {
    return `token-${this.#tokens}`;
  }

  #spoil(): Spoil | undefined {
    const { isCalm = false, isSteady = false } = this.#asked?.service ?? {};
    if (isCalm || isSteady) return undefined;
    let left = this.#luck.below(100);
    return (Object.keys(SPOILED) as Spoil[]).find((spoil) => (left -= SPOILED[spoil]) < 0);
  }
}
