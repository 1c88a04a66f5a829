import {
  FatalError,
  FeedError,
  FeedRefused,
  ProtocolError,
  PublishFailed,
} from '../model/errors.ts';
import { resourceOf, type Feed } from '../model/feed.ts';
import type { Planner } from '../schedule/scheduler.ts';
import { pollFeed } from './poll-feed.ts';
import { WorkQueue } from './work-queue.ts';
import { afterFailure, afterRefusal } from '../feeds/feed-lifecycle.ts';
import { type PollContext } from './poll-context.ts';

/** What the sweeps of a run share. */
export interface SweepContext extends Omit<PollContext, 'pollToo' | 'othersWait'> {
  readonly planner: Planner;
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
  readonly begun: Set<string>;
  /** Those of them that were polled to the end of their list. */
  readonly ended: Set<string>;
}

/**
 * Polls the feeds that are planned, and those that show to be due on the way, until the budget is
 * spent. What is not reached has waited longer when the next sweep is planned.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, sweeping: SweepContext): Promise<void> {
  const { api, book, catalogue, concurrency, failures, leftMs, paused, planner } = sweeping;
  const context: SweepOnce = {
    ...sweeping,
    begun: new Set(),
    ended: new Set(),
    pollToo(ids) {
      const isTurnOver = ids.every((id) => paused.has(id));
      if (isTurnOver) queue.add(ids);
      else queue.addFirst(ids);
    },
    othersWait: () => queue.isAnyWaiting,
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
  const feeds = book.all().filter((feed) => resourceOf(catalogue, feed) !== undefined);
  const planned = planner.plan(feeds, turnMs, leftMs());
  // Where requests are short, each list has one page before any has its second.
  if (planner.isShort) context.pagesPerTurn = 1;
  queue.add(planned.map((feed) => feed.id));
  const notBegun = await queue.finish();
  planner.learn(book, context);
  sweeping.tally.stoppedEarly ||= notBegun > 0;
}

/**
 * Polls a feed and deals with its failure.
 *
 * @returns what the run fails with; undefined when all went well or only the feed fails.
 */
async function pollOne(id: string, context: SweepOnce): Promise<unknown> {
  const { book, catalogue, tally, telemetry } = context;
  const resource = resourceOf(catalogue, book.get(id));
  if (resource === undefined) return undefined;
  if (!context.paused.has(id)) telemetry.count('FeedsPolled', 1);
  context.polled.add(id);
  context.begun.add(id);
  context.ended.delete(id);
  try {
    await pollFeed(id, resource, context);
    if (!context.paused.has(id) && !context.signal.aborted) context.ended.add(id);
    return undefined;
  } catch (error) {
    if (isFatal(error)) return error;
    if (context.signal.aborted && error === context.signal.reason) {
      tally.stoppedEarly = true;
      return undefined;
    }
    if (error instanceof FeedError) return backOff(id, error, context);
    if (error instanceof PublishFailed) telemetry.count('PublishFailures', 1);
    telemetry.error(
      'A page was not committed and will be read again',
      error,
      whereIs(book.get(id)),
    );
    return error;
  }
}

async function backOff(id: string, error: FeedError, context: PollContext): Promise<unknown> {
  const { book, tally, telemetry, clock } = context;
  const after = error instanceof FeedRefused ? afterRefusal : afterFailure;
  try {
    const wasParked = book.get(id).parked !== undefined;
    const feed = await book.commit(id, (current) => after(current, clock.now()));
    const where = { ...whereIs(feed), nextTry: new Date(feed.notBefore).toISOString() };
    if (error instanceof FeedRefused && feed.parked !== undefined) {
      if (wasParked) return undefined;
      tally.parked += 1;
      telemetry.count('FeedsParked', 1);
      telemetry.warn(`The service refuses the list; it is parked: ${error.message}`, where);
      return undefined;
    }
    tally.failing += 1;
    telemetry.count('FeedsFailing', 1);
    if (error instanceof ProtocolError) telemetry.count('ProtocolErrors', 1);
    telemetry.error('A feed failed; its cursor stays, and it is tried again later', error, where);
    return undefined;
  } catch (failure) {
    telemetry.error('A failing feed could not be put off', failure, { feed: id });
    return failure;
  }
}

function whereIs({ id, cursor }: Feed): { feed: string; cursor?: string } {
  return { feed: id, ...(cursor !== undefined && { cursor }) };
}

/** Whether nothing more can be done in this run. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}
