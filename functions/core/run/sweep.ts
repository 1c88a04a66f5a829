import {
  FatalError,
  FeedError,
  FeedRefusedError,
  ProtocolError,
  PublishFailedError,
} from '../model/errors.ts';
import { resourceOf, type Feed } from '../model/feed.ts';
import type { Scheduler } from '../schedule/scheduler.ts';
import { pollFeed } from './poll-feed.ts';
import { WorkQueue } from './work-queue.ts';
import { afterFailure, afterRefusal } from '../feeds/feed-lifecycle.ts';
import { type PollContext } from './poll-context.ts';

/** What the sweeps of a run share. */
export interface SweepContext extends Omit<PollContext, 'enqueue' | 'hasWaiting'> {
  readonly scheduler: Scheduler;
  /** Feeds that are polled side by side. */
  readonly concurrency: number;
  /** Time left before the run has to stop. */
  readonly leftMs: () => number;
  /** Aborted to stop the run. */
  readonly stopping: AbortController;
  /** What the run will fail with. */
  readonly failures: unknown[];
  /** Feeds that were polled; one that its project touched may be polled twice. */
  readonly polled: Set<string>;
}

/** What one sweep knows. */
interface SweepOnce extends SweepContext, Omit<PollContext, 'pagesPerTurn'> {
  pagesPerTurn: number;
  /** Feeds that were polled in it. */
  readonly started: Set<string>;
  /** Those of them that were polled to the end of their list. */
  readonly finished: Set<string>;
}

/**
 * Polls the feeds that are planned, and those that show to be due on the way, until the budget is
 * spent. What is not reached has waited longer when the next sweep is planned.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, sweeping: SweepContext): Promise<void> {
  const { api, registry, catalog, concurrency, failures, leftMs, suspended, scheduler } = sweeping;
  const context: SweepOnce = {
    ...sweeping,
    started: new Set(),
    finished: new Set(),
    enqueue(ids) {
      const isTurnOver = ids.every((id) => suspended.has(id));
      if (isTurnOver) queue.add(ids);
      else queue.addFirst(ids);
    },
    hasWaiting: () => queue.isAnyWaiting,
  };
  const queue = new WorkQueue<string>(
    async (id) => {
      const failure = await pollOne(id, context);
      if (failure !== undefined) failures.push(failure);
      if (isFatal(failure)) sweeping.stopping.abort(failure);
    },
    concurrency,
    sweeping.signal,
    () => (api.allowance?.(leftMs()).requests ?? 1) > 0,
  );
  // A list that config no longer knows is not polled, and not planned for.
  const feeds = registry.all().filter((feed) => resourceOf(catalog, feed) !== undefined);
  const planned = scheduler.rankFeeds(feeds, turnMs, leftMs());
  // Where requests are short, each list has one page before any has its second.
  if (scheduler.isShort) context.pagesPerTurn = 1;
  queue.add(planned.map((feed) => feed.id));
  const notBegun = await queue.finish();
  scheduler.learn(registry, context);
  sweeping.summary.stoppedEarly ||= notBegun > 0;
}

/**
 * Polls a feed and deals with its failure.
 *
 * @returns what the run fails with; undefined when all went well or only the feed fails.
 */
async function pollOne(id: string, context: SweepOnce): Promise<unknown> {
  const { registry, catalog, summary, telemetry } = context;
  const resource = resourceOf(catalog, registry.get(id));
  if (resource === undefined) return undefined;
  if (!context.suspended.has(id)) telemetry.count('FeedsPolled', 1);
  context.polled.add(id);
  context.started.add(id);
  context.finished.delete(id);
  try {
    await pollFeed(id, resource, context);
    if (!context.suspended.has(id) && !context.signal.aborted) context.finished.add(id);
    return undefined;
  } catch (error) {
    if (isFatal(error)) return error;
    if (context.signal.aborted && error === context.signal.reason) {
      summary.stoppedEarly = true;
      return undefined;
    }
    if (error instanceof FeedError) return backOff(id, error, context);
    if (error instanceof PublishFailedError) telemetry.count('PublishFailures', 1);
    telemetry.error(
      'A page was not committed and will be read again',
      error,
      describeFeed(registry.get(id)),
    );
    return error;
  }
}

async function backOff(id: string, error: FeedError, context: PollContext): Promise<unknown> {
  const { registry, summary, telemetry, clock } = context;
  const after = error instanceof FeedRefusedError ? afterRefusal : afterFailure;
  try {
    const wasParked = registry.get(id).parked !== undefined;
    const feed = await registry.commit(id, (current) => after(current, clock.now()));
    const where = { ...describeFeed(feed), nextTry: new Date(feed.notBefore).toISOString() };
    if (error instanceof FeedRefusedError && feed.parked !== undefined) {
      if (wasParked) return undefined;
      summary.parked += 1;
      telemetry.count('FeedsParked', 1);
      telemetry.warn(`The service refuses the list; it is parked: ${error.message}`, where);
      return undefined;
    }
    summary.failing += 1;
    telemetry.count('FeedsFailing', 1);
    if (error instanceof ProtocolError) telemetry.count('ProtocolErrors', 1);
    telemetry.error('A feed failed; its cursor stays, and it is tried again later', error, where);
    return undefined;
  } catch (failure) {
    telemetry.error('A failing feed could not be put off', failure, { feed: id });
    return failure;
  }
}

function describeFeed({ id, cursor }: Feed): { feed: string; cursor?: string } {
  return { feed: id, ...(cursor !== undefined && { cursor }) };
}

/** Whether nothing more can be done in this run. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}
