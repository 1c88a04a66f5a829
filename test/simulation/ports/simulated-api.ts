import {
  PageTooSlowError,
  ProtocolError,
  RateLimitedError,
  RefreshTokenRejectedError,
  ServiceError,
} from '../../../functions/core/model/errors.ts';
import { feedPartition } from '../../../functions/core/model/feed.ts';
import type { PageRequest, ServiceApi } from '../../../functions/core/ports/service-api.ts';
import { completeApi } from '../../support/complete-api.ts';
import { untilAborted } from '../../support/list-service.ts';
import type { PortsOptions } from './ports-options.ts';

/** Milliseconds that a request usually takes. */
const USUAL_MS = 120;

/** Milliseconds after which an answer counts as too late. */
const TOO_SLOW_MS = 1_000;

const HINT = { hint: 'Wait.' };
const FAILURES = [
  () => new ServiceError('GET: 503', { status: 503, ...HINT }),
  () => new ProtocolError('GET: no array', HINT),
  () => new PageTooSlowError('GET: no answer in time', HINT),
  () => new ServiceError('GET: 403', { status: 403, ...HINT }),
  () => new RefreshTokenRejectedError('POST: 401', HINT),
] as const;

/** The service, over a network that delays and fails. */
export function simulatedApi(options: PortsOptions): ServiceApi {
  const { process, record, service, trace, luck } = options;
  const send = async <T>(
    work: (answeredAt: number) => T,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    signal?.throwIfAborted();
    takeRequest(options);
    const answer = process.call('api', {
      whole: work,
      failure: () => luck.pick(FAILURES)(),
      usualMs: USUAL_MS,
    });
    return Promise.race([answer, untilAborted(signal)]);
  };
  return completeApi({
    allowance() {
      const perMinute = options.requestsPerRun;
      return { requests: Math.max(0, perMinute - record.requests), perMinute };
    },
    fetchEntity: (request, signal) =>
      send(() => service.entity(request, process.clock.now()), signal),
    async fetchPage(request: PageRequest, signal) {
      const sentAt = process.clock.now();
      const feedId = request.path.slice(1);
      record.requested.add(feedId);
      // Another shard reads the projects only to see whether the service works.
      const isPoll = record.partitions.includes(feedPartition({}));
      if (feedId === 'projects' && isPoll) trace.firstPass.askedAt ||= sentAt;
      if (service.isHanging(request.path)) await process.clock.sleep(TOO_SLOW_MS, signal);
      const read = (answeredAt: number) => ({
        page: service.page(request, process.clock.now()),
        answerDate: service.dateAt(answeredAt),
      });
      const { page, answerDate } = await send(read, signal);
      if (answerDate === undefined) return page;
      // A Date has whole seconds, and is written when the answer is, not when the list is read.
      const date = Math.floor(answerDate / 1000) * 1000;
      const readAfter = new Date(date - (process.clock.now() - sentAt)).toISOString();
      return { ...page, readAfter };
    },
  });
}

/** The rate limit lets no request start that the run has no time for any more. */
function takeRequest({ record, requestsPerRun }: PortsOptions): void {
  if (record.requests >= requestsPerRun)
    throw new RateLimitedError('no request is left in the time of the run', HINT);
  record.requests += 1;
}
