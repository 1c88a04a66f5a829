import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import {
  ServiceApiClient,
  type AccessTokens,
  type ServiceApiOptions,
} from '../../../../functions/adapters/service-api/service-client.ts';
import type { Page } from '../../../../functions/core/ports/service-api.ts';

/** The access token of {@link makeClient}. */
export const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIyIn0.q83vEjRWeJCrze';

/** Returns token-1, and the next token after each renewal. */
export class CountedTokens implements AccessTokens {
  renewals: string[] = [];

  get(): Promise<string> {
    return Promise.resolve(`token-${this.renewals.length + 1}`);
  }

  renew(rejected: string): Promise<string> {
    this.renewals.push(rejected);
    return this.get();
  }
}

/** A client whose rate limit and waits do not matter. */
export function makeClient(
  baseUrl: string,
  options: Partial<ServiceApiOptions> = {},
): ServiceApiClient {
  return new ServiceApiClient({
    baseUrl,
    accessTokens: { get: () => Promise.resolve(TOKEN), renew: () => Promise.resolve(TOKEN) },
    requestsPerMinute: 100_000,
    clock: systemClock,
    retryBaseMs: 1,
    ...options,
  });
}

/** An entity of the service. */
export const ENTITY = {
  id: '2b0d1c5e-6f0a-4d0e-9a53-0d6f1f6d7a11',
  updated_at: '2024-01-02T03:04:05.678Z',
  deleted_at: null,
  name: 'Harbour',
  anything: { else: [1] },
};

/** A request for a page of the projects. */
export const LIST = { path: '/projects', perPage: 50 };

/** Fetches a page of the projects. */
export function fetchProjects(
  baseUrl: string,
  options: Partial<ServiceApiOptions> = {},
  signal?: AbortSignal,
): Promise<Page> {
  return makeClient(baseUrl, options).fetchPage(LIST, signal);
}
