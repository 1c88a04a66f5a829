import { afterFailure, isRefusal } from '../feeds/health.ts';
import { sizeAfterFailure } from '../lists/page-size.ts';
import {
  FatalError,
  FeedConflictError,
  FeedError,
  ProtocolError,
  RateLimitedError,
  ServiceError,
} from '../model/errors.ts';
import type { Feed, FeedWait } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { RunContext } from './run-context.ts';
import { DeadlineReachedError } from './run-time.ts';

/** Whether the run cannot continue. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}

/** Whether a poll ended with the time or the requests of the run: its list has not failed. */
export function isCutOff(error: unknown): boolean {
  return error instanceof RateLimitedError || error instanceof DeadlineReachedError;
}

/**
 * Makes a list wait after a failed poll. A failure of topic or table also fails the run, so that
 * operators see it.
 *
 * @returns the errors that the run fails with.
 */
export async function handleFailure(
  id: string,
  error: unknown,
  run: RunContext,
): Promise<readonly unknown[]> {
  const { telemetry } = run.ports;
  if (error instanceof FeedConflictError) return readAgain(id, run);
  if (error instanceof FeedError) {
    run.health.noteFailure(id, error);
    if (error instanceof ProtocolError) telemetry.count('ProtocolErrors', 1);
    return startWait(id, error, run);
  }
  return [error, ...(await startWait(id, error, run))];
}

/** Saves the wait of a list. @returns the error if it could not be saved. */
async function startWait(id: string, error: unknown, run: RunContext): Promise<readonly unknown[]> {
  const { registry, ports, health } = run;
  const time = { now: ports.clock.now(), hasRead: health.hasRead };
  const { wait: before } = registry.get(id);
  try {
    const feed = await registry.commit(id, (current) =>
      sizeAfterFailure(afterFailure(current, error, time), error),
    );
    report(feed, before, error, ports.telemetry);
    return [];
  } catch (failure) {
    if (failure instanceof FeedConflictError) return readAgain(id, run);
    ports.telemetry.error('The wait of a list was not saved', failure, { feed: id });
    return [failure];
  }
}

/**
 * Loads a feed that others have written meanwhile: an operator, or the list of projects. The next
 * sweep or run reads its page again.
 *
 * @returns errors that the run fails with.
 */
export async function readAgain(
  id: string,
  { registry, ports }: RunContext,
): Promise<readonly unknown[]> {
  ports.telemetry.info('A feed was changed meanwhile, and is read again', { feed: id });
  try {
    await registry.reload(id);
    return [];
  } catch (error) {
    return [error];
  }
}

function report(
  { id, cursor, wait }: Feed,
  before: FeedWait | undefined,
  error: unknown,
  telemetry: Telemetry,
): void {
  // The service refuses the list of a deleted project, as expected.
  if (wait === undefined) return;
  // Once: a list may be refused for months.
  if (isRefusal(error) && before?.isRefused) return;
  const fields = { feed: id, ...(cursor && { cursor }), nextTry: isoTime(wait.until) };
  telemetry.error(`A list waits: ${reasonOf(error)}`, error, fields);
}

function reasonOf(error: unknown): string {
  if (error instanceof ProtocolError) return 'the service answers what is no page of it';
  const isRefused = error instanceof ServiceError && isRefusal(error);
  return isRefused ? 'the service refuses it' : 'its poll failed';
}
