import {
  FatalError,
  FeedConflictError,
  FeedError,
  FeedRefusedError,
  PublishFailedError,
  RateLimitedError,
} from '../model/errors.ts';
import { resourceOf, type Feed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import { backOff, backOffHeld, isLimit, postpone, readAgain } from './back-off.ts';
import { pollFeed } from './poll-feed.ts';
import type { RunContext, SweepContext } from './run-context.ts';
import { commandRequests } from './run-options.ts';
import { WorkQueue } from './work-queue.ts';

/** What a sweep has done so far. */
export interface Progress {
  readonly run: RunContext;
  /** When the feeds were taken, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Feeds whose lists are configured, as they are to be scheduled. */
  readonly feeds: readonly Feed[];
  /** Of these, how many are neither parked nor waiting, and in reach of the request budget. */
  dueCount: number;
  /** Whether a list was read in this sweep. */
  readonly hasRead: () => boolean;
  readonly started: Set<string>;
  /** Of these, the ones that a probe polled. */
  readonly probed: Set<string>;
  readonly finished: Set<string>;
  readonly failures: unknown[];
  /** The queue to which pages add lists: the last one that was begun. */
  queue?: WorkQueue<string>;
  /** Polls of a probe that are not over, although another list has shown that the service works, by feed id. */
  readonly probing: Map<string, Promise<void>>;
}

export function isDoubtful({ run, dueCount }: Progress): boolean {
  return run.breaker.isDoubtful(dueCount);
}

/**
 * Polls feeds concurrently, also those that a probe began or has left.
 *
 * @returns the ids of those that were not started.
 */
export async function pollAll(
  ids: readonly string[],
  pagesPerTurn: number,
  progress: Progress,
): Promise<readonly string[]> {
  const { run } = progress;
  const { options } = run;
  const context = contextOf(progress, {
    pagesPerTurn: Math.min(options.pagesPerTurn, pagesPerTurn),
    hasWaiting: () => queue.hasWaiting,
  });
  const queue = new WorkQueue<string>({
    work: (id) => {
      // A page may call for a list that is still probed.
      const probing = progress.probing.get(id);
      const start = (): Promise<void> => poll(id, context, progress);
      return probing === undefined ? start() : probing.then(start);
    },
    concurrency: options.concurrency,
    signal: run.polling,
    canStart: (activeCount) => !isDoubtful(progress) && hasRequestLeft(run, activeCount),
  });
  const left = progress.queue?.waiting ?? [];
  progress.queue = queue;
  for (const polling of progress.probing.values()) queue.join(polling);
  queue.add([...ids, ...left]);
  return queue.finish();
}

/**
 * Lists that a probe polls at once: one of each resource, so that none which takes all of the time hides another. Hundreds may
 * become due together in a wait that the service asked for.
 */
const MAX_CANARIES = 16;

/**
 * Polls lists side by side to see whether the service works, until one of them has shown a page. The others may
 * take all of the time of the run: they go on beside the sweep, and so do the further pages of a list.
 */
export async function pollCanaries(ids: readonly string[], progress: Progress): Promise<void> {
  const { run, probed, probing } = progress;
  const { breaker, options } = run;
  const { successCount } = breaker;
  const isAnswered = (): boolean => breaker.successCount > successCount;
  const answered = Promise.withResolvers<undefined>();
  const context = contextOf(progress, { pagesPerTurn: 1, hasWaiting: () => true });
  const queue = new WorkQueue<string>({
    work: async (id) => {
      probed.add(id);
      const polling = poll(id, context, progress);
      probing.set(id, polling);
      await polling.finally(() => probing.delete(id));
      if (isAnswered()) answered.resolve(undefined);
    },
    concurrency: Math.max(Math.min(ids.length, MAX_CANARIES), options.concurrency),
    signal: run.polling,
    canStart: () => !isAnswered() && hasRequestLeft(run),
  });
  progress.queue = queue;
  queue.add(ids);
  await Promise.race([queue.finish(), answered.promise]);
}

function contextOf(
  progress: Progress,
  turn: Pick<SweepContext, 'pagesPerTurn' | 'hasWaiting'>,
): SweepContext {
  const { run, started, finished } = progress;
  return {
    ...{ run, started, finished },
    ...turn,
    queue: {
      add: (ids) => progress.queue?.add(ids),
      addFirst: (ids) => progress.queue?.addFirst(ids),
    },
    onPage: () => {
      noteAnswer(run);
    },
  };
}

/** Polls a feed. An error without which the run cannot continue stops it. */
async function poll(id: string, context: SweepContext, progress: Progress): Promise<void> {
  const errors = await pollOne(id, context);
  progress.failures.push(...errors);
  const fatal = errors.find(isFatal);
  if (fatal !== undefined) progress.run.stopping.abort(fatal);
}

/**
 * Requests that are left to each list in process before another one is started: a tie larger than a page needs three,
 * and the next run would begin with the first of them.
 */
const REQUESTS_TO_ADVANCE = 3;

/** Whether the budget allows a poll beside others. A share of it is left to a reconciliation. */
function hasRequestLeft({ ports, leftMs, longCommands }: RunContext, activeCount = 0): boolean {
  const allowance = ports.api.allowance?.(leftMs());
  if (allowance === undefined) return true;
  if (allowance.requests < REQUESTS_TO_ADVANCE * activeCount) return false;
  const { requests, perMinute } = allowance;
  const isReconciling = longCommands.some(({ command }) => command.name === 'reconcile');
  return requests > (isReconciling ? commandRequests(perMinute) : 0);
}

/**
 * Polls a feed and handles its failure.
 *
 * @returns errors that the run fails with; none when the poll succeeded or only the feed fails.
 */
async function pollOne(id: string, context: SweepContext): Promise<readonly unknown[]> {
  const { run, started, finished } = context;
  const { ports, options, registry, suspended, summary, breaker } = run;
  const { telemetry, clock } = ports;
  const { polling: signal } = run;
  const { paused } = registry.get(id);
  const resource = resourceOf(options.catalog, registry.get(id));
  if (resource === undefined || paused) return [];
  if (!suspended.has(id)) telemetry.count('FeedsPolled', 1);
  started.add(id);
  finished.delete(id);
  try {
    await pollFeed(id, resource, context);
    if (!suspended.has(id) && !signal.aborted) finished.add(id);
    return await backOffHeld(run);
  } catch (error) {
    if (isFatal(error)) {
      // Mostly it has asked nothing, for want of a token.
      started.delete(id);
      return [error];
    }
    if (signal.aborted && error === signal.reason) {
      summary.stoppedEarly = true;
      return [];
    }
    if (error instanceof RateLimitedError) {
      summary.stoppedEarly = true;
      return [];
    }
    // Neither says anything of the service: a refusal as before, nor a limit.
    const isRefusedAgain =
      error instanceof FeedRefusedError && registry.get(id).parked !== undefined;
    if (isRefusedAgain || isLimit(error)) return backOff({ id, error }, run);
    if (error instanceof FeedError) {
      breaker.failed(id, error);
      return [];
    }
    // The service did its part.
    breaker.succeeded(clock.now());
    if (error instanceof FeedConflictError) return readAgain(id, run);
    if (error instanceof PublishFailedError) {
      telemetry.count('PublishFailures', 1);
      telemetry.count('EventsPublished', error.acceptedCount);
    }
    await postpone(id, error, run);
    return [error];
  }
}

/** The service works. */
function noteAnswer({ breaker, ports }: RunContext): void {
  const outage = breaker.succeeded(ports.clock.now());
  if (outage === undefined) return;
  const since = isoTime(outage.since);
  ports.telemetry.info('The service works again', { since });
}

/** Whether the run cannot continue. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}
