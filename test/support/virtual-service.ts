import {
  ServiceApiClient,
  type ServiceApiOptions,
} from '../../functions/adapters/service-api/service-client.ts';
import type { JsonObject } from '../../functions/core/model/entity.ts';
import { DEFAULTS } from './as-deployed.ts';
import type { VirtualTime } from './virtual-time.ts';

interface VirtualServiceOptions extends Partial<ServiceApiOptions> {
  readonly latencyMs: number;
  /** Answers a request in the service's place, unless it returns undefined. */
  readonly answer?: (request: Request, path: string) => unknown;
}

/** How a page is made where the spec leaves it open, or a service departs from it. */
export interface PageOptions {
  readonly filter?: '>' | '>=';
  readonly largestPage?: number;
  readonly order?: (a: Shown, b: Shown) => number;
  readonly show?: (entity: Shown) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

type Shown = JsonObject & { readonly id: string; readonly updated_at: string };

const byUpdate = (a: Shown, b: Shown): number =>
  Date.parse(a.updated_at) - Date.parse(b.updated_at);

/** A service in virtual time, asked by the client that ships with the default config. */
export class VirtualService {
  readonly api: ServiceApiClient;
  /** The requests so far: path, start in milliseconds since 1970, status of the answer. */
  readonly requests: { readonly path: string; readonly at: number; readonly status: number }[] = [];
  readonly #time: VirtualTime;
  readonly #latencyMs: number;
  readonly #answer: VirtualServiceOptions['answer'];
  /** By path, then by id. */
  readonly #lists = new Map<string, Map<string, Shown>>();

  constructor(time: VirtualTime, { latencyMs, answer, ...client }: VirtualServiceOptions) {
    this.#time = time;
    this.#latencyMs = latencyMs;
    this.#answer = answer;
    const { requestsPerMinute, concurrency } = DEFAULTS;
    const token = () => Promise.resolve('token');
    this.api = new ServiceApiClient({
      ...{ baseUrl: 'https://service.example', accessTokens: { get: token, renew: token } },
      ...{ clock: time.clock, requestsPerMinute, concurrency, fetch: this.fetch, ...client },
    });
  }

  /** Adds an entity to a list, or changes it. It is shown from its `updated_at` on. */
  put(path: string, entity: Shown): void {
    const list = this.#lists.get(path) ?? new Map<string, Shown>();
    list.set(entity.id, { ...list.get(entity.id), ...entity });
    this.#lists.set(path, list);
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const path = new URL(request.url).pathname.replace(/^\/api\/v3/, '');
    const at = this.#time.now;
    const special = (await this.#answer?.(request, path)) as Response | undefined;
    if (special === undefined) await this.#time.sleep(this.#latencyMs);
    // Time stands still until the body has been read.
    void this.#time.outside(async () => {
      for (let turn = 0; turn < 4; turn += 1) await new Promise(setImmediate);
    });
    const response = special ?? this.page(request);
    this.requests.push({ path, at, status: response.status });
    return response;
  };

  /** The page of a list, or one entity, by the spec's "Pagination rules". */
  page({ url, headers }: Request, options: PageOptions = {}): Response {
    const { pathname, searchParams } = new URL(url);
    const path = pathname.replace(/^\/api\/v3/, '');
    const parent = path.slice(0, path.lastIndexOf('/'));
    const entity = this.#lists.get(parent)?.get(path.slice(parent.length + 1));
    if (entity !== undefined) return Response.json(entity);
    const { filter = '>', largestPage = 1_000, order = byUpdate, show } = options;
    const since = Date.parse(searchParams.get('last_synced_at') ?? '1970-01-01');
    const found = [...(this.#lists.get(path)?.values() ?? [])].filter(({ updated_at: at }) => {
      const time = Date.parse(at);
      return time < this.#time.now && (filter === '>' ? time > since : time >= since);
    });
    const size = Math.min(Number(headers.get('service-per-page') ?? 50), largestPage);
    const shown = found.sort(order).slice(0, size);
    const last = shown.at(-1)?.updated_at;
    return Response.json(show === undefined ? shown : shown.map(show), {
      headers: {
        date: new Date(this.#time.now).toUTCString(),
        'x-has-more': String(found.length > shown.length),
        ...(last !== undefined && { 'x-last-synced-at': last }),
        ...options.headers,
      },
    });
  }
}
