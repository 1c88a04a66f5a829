import { RateLimitedError, ServiceError } from '../model/errors.ts';
import type { Page, PageRequest, ServiceApi } from '../ports/service-api.ts';
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
    fetchPage: (request, signal) => fetchPage(request, signal),
    ...(fetchEntity && {
      fetchEntity: (request, signal) =>
        fetchEntity({ ...request, startBefore: deadline() }, signal),
    }),
    ...(api.allowance && { allowance: api.allowance.bind(api) }),
  };

  async function fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page> {
    const id = request.path.slice(1);
    const hasOwnLimit = limited.hasOwnLimit(id);
    try {
      const page = await api.fetchPage(
        { ...request, startBefore: deadline(), hasOwnLimit },
        signal,
      );
      limited.read(id);
      return page;
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
