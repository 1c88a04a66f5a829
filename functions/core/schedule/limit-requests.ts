import { RateLimitedError } from '../model/errors.ts';
import type { PageRequest, ServiceApi } from '../ports/service-api.ts';
import type { Samples } from './samples.ts';

/** The limits of a run. */
export interface RequestLimits {
  /** When the run has to stop, in milliseconds since 1970. */
  readonly deadline: () => number;
  /** See {@link PageRequest.samples}. @param path of the request. */
  readonly samplesFor: (path: string) => readonly PageRequest[];
  /** See {@link PageRequest.wasLimited}. */
  readonly wasLimited: (path: string) => boolean;
  /** Told of the lists that are read, and of limits. */
  readonly samples: Pick<Samples, 'read' | 'limited'>;
}

/**
 * The service within the limits of a run: a request that the rate limit lets start only after the run has to stop fails
 * at once, and one that is answered with 429 has samples that show whether others are limited, too.
 */
export function limitRequests(
  api: ServiceApi,
  { deadline, samplesFor, wasLimited, samples }: RequestLimits,
): ServiceApi {
  const fetchEntity = api.fetchEntity?.bind(api);
  const limit = <T extends { readonly path: string }>(request: T) => ({
    ...request,
    startBefore: deadline(),
    samples: () => samplesFor(request.path),
    wasLimited: wasLimited(request.path),
  });
  return {
    async fetchPage(request, signal) {
      try {
        const page = await api.fetchPage(limit(request), signal);
        samples.read(request.path);
        return page;
      } catch (error) {
        if (error instanceof RateLimitedError && error.isAnswer) samples.limited();
        throw error;
      }
    },
    ...(fetchEntity && { fetchEntity: (request, signal) => fetchEntity(limit(request), signal) }),
    ...(api.allowance && { allowance: api.allowance.bind(api) }),
  };
}
