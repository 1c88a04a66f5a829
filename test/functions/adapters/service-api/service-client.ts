import { ServiceApiOperations } from '../../../../functions/adapters/service-api/operations.ts';
import { systemClock } from '../../../../functions/adapters/clock/system-clock.ts';
import type { Page } from '../../../../functions/core/ports/service-api.ts';
import type {
  AccessTokens,
  ServiceApiOptions,
} from '../../../../functions/adapters/service-api/client.ts';

/** The access token of {@link makeClient}. */
export const TOKEN = 'the-access-token';

/** Hands out token-1, and the next with each renewal. */
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
): ServiceApiOperations {
  return new ServiceApiOperations({
    baseUrl,
    accessTokens: { get: () => Promise.resolve(TOKEN), renew: () => Promise.resolve(TOKEN) },
    requestsPerMinute: 100_000,
    clock: systemClock,
    retryBaseMs: 1,
    ...options,
  });
}

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
