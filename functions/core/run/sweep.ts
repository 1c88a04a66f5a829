import { afterFailure, afterRefusal, afterUncommittedPage } from '../feeds/feed-lifecycle.ts';
import {
  FatalError,
  FeedConflictError,
  FeedError,
  FeedRefusedError,
  ProtocolError,
  PublishFailedError,
} from '../model/errors.ts';
import { resourceOf, type Feed } from '../model/feed.ts';
import { pollFeed } from './poll-feed.ts';
import type { RunContext } from './run-context.ts';
import type { SweepContext } from './sweep-context.ts';
import { WorkQueue } from './work-queue.ts';

/** The outcome of a sweep. */
interface SweepResult {
  /** Ids of the feeds that were polled. */
  readonly started: ReadonlySet<string>;
  /** Errors that the run fails with. */
  readonly failures: readonly unknown[];
}

/**
 * Polls the scheduled feeds, and feeds that become due meanwhile, until the request budget is spent.
 * The next sweep takes the longer wait of the remaining feeds into account.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, run: RunContext): Promise<SweepResult> {
  const { ports, options, registry, scheduler, summary, stopping, leftMs } = run;
  const failures: unknown[] = [];
  // A list that was removed from config is neither polled nor scheduled.
  const feeds = registry.all().filter((feed) => resourceOf(options.catalog, feed) !== undefined);
  const ranked = scheduler.rankFeeds(feeds, turnMs, leftMs());
  const queue = new WorkQueue<string>({
    work: async (id) => {
      const failure = await pollOne(id, context);
      if (failure !== undefined) failures.push(failure);
      if (isFatal(failure)) stopping.abort(failure);
    },
    concurrency: options.concurrency,
    signal: stopping.signal,
    canStart: () => (ports.api.allowance?.(leftMs()).requests ?? 1) > 0,
  });
  const context: SweepContext = {
    run,
    queue,
    pagesPerTurn: Math.min(options.pagesPerTurn, ranked.pagesPerTurn),
    started: new Set(),
    finished: new Set(),
  };
  queue.add(ranked.feeds.map(({ id }) => id));
  const remainingCount = await queue.finish();
  scheduler.recordSweep(registry, context);
  summary.stoppedEarly ||= remainingCount > 0;
  return { started: context.started, failures };
}

/**
 * Polls a feed and handles its failure.
 *
 * @returns the error that the run fails with; undefined when the poll succeeded or only the feed fails.
 */
async function pollOne(id: string, context: SweepContext): Promise<unknown> {
  const { run, started, finished } = context;
  const { ports, options, registry, suspended, summary } = run;
  const { telemetry } = ports;
  const { signal } = run.stopping;
  const resource = resourceOf(options.catalog, registry.get(id));
  if (resource === undefined) return undefined;
  if (!suspended.has(id)) telemetry.count('FeedsPolled', 1);
  started.add(id);
  finished.delete(id);
  try {
    await pollFeed(id, resource, context);
    if (!suspended.has(id) && !signal.aborted) finished.add(id);
    return undefined;
  } catch (error) {
    if (isFatal(error)) return error;
    if (signal.aborted && error === signal.reason) {
      summary.stoppedEarly = true;
      return undefined;
    }
    if (error instanceof FeedError) return backOff(id, error, run);
    if (error instanceof PublishFailedError) {
      telemetry.count('PublishFailures', 1);
      telemetry.count('EventsPublished', error.acceptedCount);
    }
    await postpone(id, error, run);
    return error;
  }
}

async function backOff(id: string, error: FeedError, run: RunContext): Promise<unknown> {
  const { ports, registry, summary } = run;
  const { telemetry, clock } = ports;
  const after = error instanceof FeedRefusedError ? afterRefusal : afterFailure;
  try {
    const wasParked = registry.get(id).parked !== undefined;
    const feed = await registry.commit(id, (current) => after(current, clock.now()));
    const fields = { ...describeFeed(feed), nextTry: new Date(feed.notBefore).toISOString() };
    if (error instanceof FeedRefusedError && feed.parked !== undefined) {
      if (wasParked) return undefined;
      summary.parked += 1;
      telemetry.count('FeedsParked', 1);
      telemetry.warn(`The service refuses the list; it is parked: ${error.message}`, fields);
      return undefined;
    }
    summary.failing += 1;
    telemetry.count('FeedsFailing', 1);
    if (error instanceof ProtocolError) telemetry.count('ProtocolErrors', 1);
    telemetry.error('A feed failed; its cursor stays, and it is retried later', error, fields);
    return undefined;
  } catch (failure) {
    telemetry.error('The back-off of a failing feed was not saved', failure, { feed: id });
    return failure;
  }
}

/** Backs off from a page that could not be published or saved. The run fails with the error in any case. */
async function postpone(
  id: string,
  error: unknown,
  { registry, ports }: RunContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  try {
    // After a conflict the run's copy of the feed is stale.
    if (!(error instanceof FeedConflictError)) {
      await registry.commit(id, (feed) => afterUncommittedPage(feed, clock.now()));
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

function describeFeed({ id, cursor }: Feed): { feed: string; cursor?: string } {
  return { feed: id, ...(cursor !== undefined && { cursor }) };
}

/** Whether the run cannot continue. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}
