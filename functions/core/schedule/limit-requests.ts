import { RateLimitedError, ServiceError } from '../model/errors.ts';
import type { PageRequest, ServiceApi } from '../ports/service-api.ts';
import type { LimitedLists } from './limited-lists.ts';

/**
 * The service within the limits of a run: a request that the rate limit lets start only after the run has to stop fails
 * at once. Notes which lists are limited, whether polls or commands read them.
 *
 * @param deadline when the run has to stop, in milliseconds since 1970.
 */
export function limitRequests(
  api: ServiceApi,
  limited: LimitedLists,
  deadline: () => number,
): ServiceApi {
  const fetchEntity = api.fetchEntity?.bind(api);
  return {
    fetchPage: (request, signal) =>
      heed(request.path.slice(1), (limit) => api.fetchPage({ ...request, ...limit }, signal)),
    ...(fetchEntity && {
      fetchEntity: (request, signal) =>
        // Entities may have a limit of their own, too: those of a list together.
        heed(request.path.replace(/[^/]+$/, '#').slice(1), (limit) =>
          fetchEntity({ ...request, ...limit }, signal),
        ),
    }),
    ...(api.allowance && { allowance: api.allowance.bind(api) }),
  };

  async function heed<T>(
    id: string,
    send: (limit: Pick<PageRequest, 'startBefore' | 'hasOwnLimit'>) => Promise<T>,
  ): Promise<T> {
    const hasOwnLimit = limited.hasOwnLimit(id);
    try {
      const answer = await send({ startBefore: deadline(), hasOwnLimit });
      limited.read(id);
      return answer;
    } catch (error) {
      if (isLimit(error)) limited.limited(id);
      throw error;
    }
  }
}

/** Whether the service has answered with 429. */
function isLimit(error: unknown): boolean {
  if (error instanceof RateLimitedError) return error.isAnswer;
  return error instanceof ServiceError && error.status === 429;
}
