import type { ServiceApi } from '../ports/service-api.ts';

/**
 * The service within the time of a run: a request that the rate limit lets start only after the run
 * has to stop fails at once.
 *
 * @param deadline when the run has to stop, in milliseconds since 1970.
 */
export function limitRequests(api: ServiceApi, deadline: () => number): ServiceApi {
  const fetchEntity = api.fetchEntity?.bind(api);
  const limit = <T>(request: T) => ({ ...request, startBefore: deadline() });
  return {
    fetchPage: (request, signal) => api.fetchPage(limit(request), signal),
    ...(fetchEntity && { fetchEntity: (request, signal) => fetchEntity(limit(request), signal) }),
    ...(api.handOver && { handOver: api.handOver.bind(api) }),
    ...(api.allowance && { allowance: api.allowance.bind(api) }),
  };
}
