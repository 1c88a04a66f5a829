import {
  ServiceError,
  PageTooLargeError,
  PageTooSlowError,
  ProtocolError,
  RateLimitedError,
  RefreshTokenRejectedError,
} from '../../../functions/core/model/errors.ts';
import { feedPartition } from '../../../functions/core/model/feed.ts';
import type { Page, PageRequest, ServiceApi } from '../../../functions/core/ports/service-api.ts';
import { completeApi } from '../../support/complete-api.ts';
import { untilAborted } from '../../support/list-service.ts';
import { ENTITY_BYTES } from '../memory.ts';
import { injected } from './injected-failure.ts';
import type { PortsOptions } from './ports-options.ts';

/** Milliseconds that a request usually takes. */
const USUAL_MS = 120;

/** Milliseconds after which a page counts as too slow. */
const TOO_SLOW_MS = 1_000;

/** Milliseconds that all tries of a request take whose answers are late and bad. */
const RETRIES_MS = 60_000;

/** The service, over a network that delays and fails. */
export function simulatedApi(options: PortsOptions): ServiceApi {
  const { process, record, chronicle, service, backend, luck } = options;
  const { baselines } = chronicle;
  const read = (request: PageRequest, now: number): Page | Promise<Page> => {
    if (backend.readPage === undefined) return service.page(request, now);
    service.checkOutage(request.path);
    return backend.readPage(service, request, now);
  };
  const failures = [
    () => new ServiceError('GET: 503', { status: 503, hint: 'Wait.' }),
    () => new ProtocolError('GET: no array', { hint: 'Wait.' }),
    () => new ServiceError('GET: 403', { status: 403, hint: 'Wait.' }),
    () => new RefreshTokenRejectedError('POST: 401', { hint: 'Rotate it.' }),
  ];
  return completeApi({
    allowance() {
      const perMinute = options.requestsPerRun;
      return { requests: Math.max(0, perMinute - record.requests), perMinute };
    },
    async fetchEntity(request, signal) {
      signal?.throwIfAborted();
      takeRequest(options);
      const answer = process.call('api', {
        whole: () => service.entity(request, process.trueTime),
        reads: true,
        failure: () => (failures[luck.below(2)] ?? injected)(),
        usualMs: USUAL_MS,
      });
      return Promise.race([answer, untilAborted(signal)]);
    },
    async fetchPage(request, signal) {
      signal?.throwIfAborted();
      const feedId = request.path.slice(1);
      // Another shard reads the projects only to see whether the service works.
      const isProbe = feedId === 'projects' && !record.partitions.includes(feedPartition({}));
      takeRequest(options);
      record.requested.add(feedId);
      const sentAt = process.trueTime;
      if (!isProbe) baselines.asked(record.n, feedId, service.clockAt(sentAt));
      if (service.failsSlowly(request.path)) {
        await process.clock.sleep(RETRIES_MS, signal);
        service.checkOutage(request.path);
      }
      if (service.isHanging) await waitInVain(request, options, signal);
      const aborted = untilAborted(signal);
      const answer = process.call('api', {
        whole: async (answeredAt) => ({
          page: await read(request, process.trueTime),
          answeredAt,
        }),
        reads: true,
        failure: () => (failures[luck.below(failures.length)] ?? injected)(),
        usualMs: USUAL_MS,
      });
      const { page, answeredAt } = await Promise.race([answer, aborted]);
      if (service.isTooSlow(request, page)) await waitInVain(request, options, signal);
      // The HTTP client reads the body itself.
      if (backend.readPage === undefined) await receive(page, options, signal);
      if (!isProbe) baselines.answered(record.n, feedId, !page.hasMore);
      // The HTTP client reads the Date, too.
      const answerDate = backend.readPage === undefined ? service.dateAt(answeredAt) : undefined;
      if (answerDate === undefined) return page;
      // A Date has whole seconds, and is written when the answer is, not when the list is read.
      const date = Math.floor(answerDate / 1000) * 1000;
      const readAfter = new Date(date - (process.trueTime - sentAt)).toISOString();
      return { ...page, readAfter };
    },
  });
}

/** The rate limit lets no request start that the run has no time for any more. */
function takeRequest({ record, requestsPerRun }: PortsOptions): void {
  if (record.requests >= requestsPerRun) {
    throw new RateLimitedError('no request is left in the time of the run', { hint: 'Wait.' });
  }
  record.requests += 1;
}

/** Waits until an attempt is over. */
async function waitInVain(
  { path }: PageRequest,
  { process }: PortsOptions,
  signal?: AbortSignal,
): Promise<never> {
  await process.clock.sleep(TOO_SLOW_MS, signal);
  signal?.throwIfAborted();
  throw new PageTooSlowError(`GET ${path}: no answer in time`, { hint: 'Wait.' });
}

/** Reads the body of a page. Sometimes it breaks off and is read again. */
async function receive(
  page: Page,
  { process, luck, maxBodyBytes }: PortsOptions,
  signal?: AbortSignal,
): Promise<void> {
  const bytes = ENTITY_BYTES * (page.entities.length + page.invalid.length);
  do {
    await process.clock.sleep(luck.below(80), signal);
    signal?.throwIfAborted();
    if (bytes > maxBodyBytes)
      throw new PageTooLargeError(`more than ${maxBodyBytes} bytes`, { hint: 'Raise memoryMb.' });
  } while (luck.chance(0.05));
}
