import {
  afterFailure,
  afterRefusal,
  afterSlowPoll,
  afterUncommittedPage,
  beforeOtherFailure,
  beforeSlowFailure,
  MAX_CAUSE_LENGTH,
} from '../feeds/feed-lifecycle.ts';
import {
  FeedConflictError,
  FeedRefusedError,
  PageTooSlowError,
  ProtocolError,
  ServiceError,
  type FeedError,
} from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import type { HeldFailure } from './breaker.ts';
import type { RunContext } from './run-context.ts';

/** Backs off the feeds whose failures were held. @returns errors that the run fails with. */
export async function backOffHeld(run: RunContext): Promise<readonly unknown[]> {
  if (run.breaker.outage !== undefined) return [];
  const held = run.breaker.takeHeld();
  return (await Promise.all(held.map((failure) => backOff(failure, run)))).flat();
}

/**
 * Drops the failures that were held, since the whole service fails. Pages that were too slow are remembered:
 * if they are why each list fails, only a smaller page ends the outage.
 *
 * @returns errors that the run fails with.
 */
export async function dropHeld(run: RunContext): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const { id, error } of run.breaker.takeHeld()) {
    countFailure(error, run);
    if (error instanceof PageTooSlowError) failures.push(...(await save(id, afterSlowPoll, run)));
  }
  return failures;
}

/** Saves how a feed is polled from now on. @returns the error if it could not be saved. */
async function save(
  id: string,
  change: (feed: Feed) => Feed,
  { registry, ports }: Pick<RunContext, 'registry' | 'ports'>,
): Promise<readonly unknown[]> {
  try {
    await registry.commit(id, change);
    return [];
  } catch (failure) {
    if (failure instanceof FeedConflictError) return readAgain(id, { registry, ports });
    ports.telemetry.error('The back-off of a feed was not saved', failure, { feed: id });
    return [failure];
  }
}

/**
 * Takes a feed as others have written it meanwhile: an operator, or the list of projects. Its page is read again, by
 * the next sweep or run.
 *
 * @returns errors that the run fails with.
 */
export async function readAgain(
  id: string,
  { registry, ports }: Pick<RunContext, 'registry' | 'ports'>,
): Promise<readonly unknown[]> {
  ports.telemetry.info('A feed was changed meanwhile, and is read again', { feed: id });
  try {
    await registry.reload(id);
    return [];
  } catch (error) {
    return [error];
  }
}

const TOO_MANY_REQUESTS = 429;

/** Maximum wait of a list that was answered with 429, unless the service requests more. */
const MAX_LIMITED_BACKOFF_MS = 5 * 60_000;

/** Whether the service answered that requests are too many, which says nothing else of it. */
export function isLimit(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === TOO_MANY_REQUESTS;
}

/** Backs off a feed. @returns errors that the run fails with. */
export async function backOff(
  { id, error }: HeldFailure,
  run: RunContext,
): Promise<readonly unknown[]> {
  const { ports, registry, summary } = run;
  const { telemetry, clock } = ports;
  const isRefused = error instanceof FeedRefusedError;
  const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : 0;
  const maxWaitMs = isLimit(error) ? MAX_LIMITED_BACKOFF_MS : undefined;
  let wasParked = false;
  const change = (current: Feed): Feed => {
    wasParked = current.parked !== undefined;
    if (isRefused) {
      const refused = afterRefusal(current, clock.now());
      return refused.parked === 'project-deleted' ? refused : withCause(refused, error);
    }
    const slowed =
      error instanceof PageTooSlowError ? beforeSlowFailure(current) : beforeOtherFailure(current);
    return withCause(afterFailure(slowed, clock.now(), retryAfterMs, maxWaitMs), error);
  };
  const failures = await save(id, change, run);
  if (failures.length > 0) return failures;
  const feed = registry.get(id);
  const fields = { ...describeFeed(feed), nextTry: isoTime(feed.notBefore) };
  if (isRefused && feed.parked !== undefined) {
    if (wasParked) return [];
    summary.parked += 1;
    telemetry.count('FeedsParked', 1);
    telemetry.warn(`The service refuses the list; it is parked: ${error.message}`, fields);
    return [];
  }
  countFailure(error, run);
  telemetry.error('A feed failed; its cursor stays, and it is retried later', error, fields);
  return [];
}

/** Backs off from a page that could not be published or saved. The run fails with the error in any case. */
export async function postpone(id: string, error: unknown, run: RunContext): Promise<void> {
  const { registry, ports, uncommitted } = run;
  const { telemetry, clock } = ports;
  uncommitted.add(id);
  await save(id, (feed) => withCause(afterUncommittedPage(feed, clock.now()), error), run);
  const feed = registry.get(id);
  telemetry.error('A page was not committed and will be read again', error, {
    ...describeFeed(feed),
    ...(feed.notBefore > clock.now() && { nextTry: isoTime(feed.notBefore) }),
  });
}

function withCause(feed: Feed, error: unknown): Feed {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { ...feed, cause: text.slice(0, MAX_CAUSE_LENGTH) };
}

function countFailure(error: FeedError, { ports, summary }: RunContext): void {
  summary.failing += 1;
  ports.telemetry.count('FeedsFailing', 1);
  if (error instanceof ProtocolError) ports.telemetry.count('ProtocolErrors', 1);
}

function describeFeed({ id, cursor }: Feed): { feed: string; cursor?: string } {
  return { feed: id, ...(cursor !== undefined && { cursor }) };
}
