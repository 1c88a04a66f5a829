import {
  afterFailure,
  afterRefusal,
  afterSlowPoll,
  afterUncommittedPage,
  beforeOtherFailure,
  beforeSlowFailure,
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
  const { ports, registry, breaker } = run;
  const failures: unknown[] = [];
  for (const { id, error } of breaker.takeHeld()) {
    countFailure(error, run);
    if (!(error instanceof PageTooSlowError)) continue;
    try {
      await registry.commit(id, afterSlowPoll);
    } catch (failure) {
      ports.telemetry.error('The slow pages of a feed were not noted', failure, { feed: id });
      failures.push(failure);
    }
  }
  return failures;
}

/**
 * Longest wait of a list with a limit of its own, unless the service requests more. It may be one that all lists share, which
 * leaves something at other times. Each wait is a random part of it, at least half, which no rhythm of a limit meets always.
 */
const MAX_LIMITED_BACKOFF_MS = 8 * 60_000;

/** Backs off a feed. @returns errors that the run fails with. */
export async function backOff(
  { id, error }: HeldFailure,
  run: RunContext,
): Promise<readonly unknown[]> {
  const { ports, registry, summary, options } = run;
  const { telemetry, clock } = ports;
  const isRefused = error instanceof FeedRefusedError;
  const retryAfterMs = error instanceof ServiceError ? error.retryAfterMs : 0;
  const isLimited = error instanceof ServiceError && error.status === 429;
  const change = (current: Feed): Feed => {
    if (isRefused) {
      const refused = afterRefusal(current, clock.now());
      return refused.parked === 'project-deleted' ? refused : withCause(refused, error);
    }
    const slowed =
      error instanceof PageTooSlowError ? beforeSlowFailure(current) : beforeOtherFailure(current);
    const maxWaitMs = isLimited ? (MAX_LIMITED_BACKOFF_MS * (1 + options.random())) / 2 : undefined;
    const failed = afterFailure(slowed, clock.now(), retryAfterMs, maxWaitMs);
    return withCause(isLimited ? { ...failed, isLimited } : failed, error);
  };
  try {
    const wasParked = registry.get(id).parked !== undefined;
    const feed = await registry.commit(id, change);
    const fields = { ...describeFeed(feed), nextTry: new Date(feed.notBefore).toISOString() };
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
  } catch (failure) {
    telemetry.error('The back-off of a failing feed was not saved', failure, { feed: id });
    return [failure];
  }
}

/** Backs off from a page that could not be published or saved. The run fails with the error in any case. */
export async function postpone(
  id: string,
  error: unknown,
  { registry, ports, uncommitted }: RunContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  uncommitted.add(id);
  try {
    // After a conflict the run's copy of the feed is stale.
    if (!(error instanceof FeedConflictError)) {
      await registry.commit(id, (feed) =>
        withCause(afterUncommittedPage(feed, clock.now()), error),
      );
    }
  } catch (failure) {
    telemetry.error('The back-off of a page was not saved', failure, { feed: id });
  }
  const feed = registry.get(id);
  telemetry.error('A page was not committed and will be read again', error, {
    ...describeFeed(feed),
    ...(feed.notBefore > clock.now() && { nextTry: new Date(feed.notBefore).toISOString() }),
  });
}

/** Characters of a cause: enough for what failed and why. */
const MAX_CAUSE_LENGTH = 200;

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
