import type { PageRequest, ServiceApi } from '../ports/service-api.ts';

/** The limits of a run. */
export interface RequestLimits {
  /** When the run has to stop, in milliseconds since 1970. */
  readonly deadline: () => number;
  /** See {@link PageRequest.sample}. @param path of the request. */
  readonly sampleFor: (path: string) => PageRequest | undefined;
}

/**
 * The service within the limits of a run: a request that the rate limit lets start only after the run has to stop fails
 * at once, and one that is answered with 429 has a sample that shows whether others are limited, too.
 */
export function limitRequests(api: ServiceApi, { deadline, sampleFor }: RequestLimits): ServiceApi {
  const fetchEntity = api.fetchEntity?.bind(api);
  const limit = <T extends { readonly path: string }>(request: T) => ({
    ...request,
    startBefore: deadline(),
    sample: () => sampleFor(request.path),
  });
  return {
    fetchPage: (request, signal) => api.fetchPage(limit(request), signal),
    ...(fetchEntity && { fetchEntity: (request, signal) => fetchEntity(limit(request), signal) }),
    ...(api.allowance && { allowance: api.allowance.bind(api) }),
  };
}
