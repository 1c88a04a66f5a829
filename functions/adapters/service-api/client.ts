import type { Page, PageRequest, RateAllowance, ServiceApi } from '../../core/ports/service-api.ts';
import type { ServiceApiOptions } from './options.ts';
import { readPage } from './parse-page.ts';
import { Transport } from './transport.ts';

export type { AccessTokens, RateLimited, ServiceApiOptions } from './options.ts';

/**
 * Client of the lists of the Construction Project Service API v3, as the poller uses it. All calls of one
 * client share its request limits, pauses and access token, so a process should have one client.
 *
 * - Retries reads after 408, 429, 5xx, network errors, time-outs and broken answers.
 * - A 429 pauses the whole client for the time the service asks for, up to an hour; without one for longer
 *   each time. After it requests go out one at a time first. An aborted signal
 *   ends the waiting; the pause remains for the next calls.
 */
export class ServiceApiClient implements ServiceApi {
  protected readonly transport: Transport;

  constructor(options: ServiceApiOptions) {
    this.transport = new Transport(options);
  }

  async fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page> {
    const { path, lastSyncedAt, query, perPage, reservation, startBefore } = request;
    return this.transport.send(
      {
        method: 'GET',
        path,
        query: { ...query, ...(lastSyncedAt !== undefined && { last_synced_at: lastSyncedAt }) },
        headers: { 'Service-Per-Page': String(perPage) },
        isList: true,
        startBefore,
        reservation,
        read: readPage,
      },
      signal,
    );
  }

  allowance(withinMs: number): RateAllowance {
    return this.transport.limiter.allowance(withinMs);
  }

  recentRequests(): string {
    return this.transport.limiter.recentRequests();
  }

  resume(recentRequests: string): void {
    this.transport.limiter.resume(recentRequests);
  }

  /** Counts a request that was sent besides the client: an exchange of the access token. */
  countRequest(): void {
    this.transport.limiter.countStart();
  }
}
