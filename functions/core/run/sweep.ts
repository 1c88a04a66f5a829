import { waitsForRemoval } from '../feeds/forget-projects.ts';
import {
  FatalError,
  FeedError,
  FeedRefusedError,
  PublishFailedError,
  RateLimitedError,
} from '../model/errors.ts';
import { isPolled, resourceOf, type Feed } from '../model/feed.ts';
import { backOff, backOffHeld, dropHeld, postpone } from './back-off.ts';
import type { Outage } from './handover.ts';
import { pollFeed, showsProjects } from './poll-feed.ts';
import type { RunContext } from './run-context.ts';
import { COMMAND_REQUEST_SHARE } from './run-options.ts';
import type { SweepContext } from './sweep-context.ts';
import { WorkQueue } from './work-queue.ts';

/** The outcome of a sweep. */
interface SweepResult {
  /** Ids of the feeds that were polled. */
  readonly started: ReadonlySet<string>;
  /** Errors that the run fails with. */
  readonly failures: readonly unknown[];
}

/** What a sweep has done so far. */
interface Progress {
  readonly run: RunContext;
  /** Feeds whose lists are configured, as they are to be scheduled. */
  readonly feeds: readonly Feed[];
  /** Of these, how many are neither parked nor waiting, and in reach of the request budget. */
  dueCount: number;
  readonly started: Set<string>;
  /** Of these, the ones that a probe polled. */
  readonly probed: Set<string>;
  readonly finished: Set<string>;
  readonly failures: unknown[];
}

/**
 * Polls the scheduled feeds, and feeds that become due meanwhile, until the request budget is spent.
 * The next sweep takes the longer wait of the remaining feeds into account. While the whole service
 * fails, only a feed or two are polled, see {@link Breaker}.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, run: RunContext): Promise<SweepResult> {
  const { registry, scheduler, summary, breaker, limited } = run;
  const progress = newProgress(run);
  const { started, failures } = progress;
  if (breaker.outage !== undefined && !(await probe(progress))) return progress;
  const feeds = progress.feeds.map((feed) => breaker.wake(feed));
  const ranked = scheduler.rankFeeds(feeds, turnMs, run.leftMs());
  // One failure says too little, if others may be polled later.
  progress.dueCount = Math.min(progress.dueCount, Math.max(2, ranked.feeds.length));
  let waiting = limited.inOrder(ranked.feeds.map(({ id }) => id));
  do waiting = await pollAll(withoutProbed(waiting, progress), ranked.pagesPerTurn, progress);
  while (isDoubtful(progress) && (await probe(progress)) && waiting.length > 0);
  failures.push(...(await backOffHeld(run)));
  scheduler.recordSweep(registry, progress, limited);
  summary.stoppedEarly ||= waiting.length > 0;
  return { started, failures };
}

/** A list is polled once a sweep: what was probed, and what the probed projects showed, is done. */
function withoutProbed(ids: readonly string[], { probed }: Progress): readonly string[] {
  return ids.filter((id) => !probed.has(id));
}

function newProgress(run: RunContext): Progress {
  const { options, registry, forgotten } = run;
  // A list that was removed from config, is paused or forgotten, is neither polled nor scheduled.
  const feeds = registry
    .all()
    .filter((feed) => isPolled(options.catalog, feed) && !waitsForRemoval(feed, forgotten));
  const now = run.ports.clock.now();
  const due = feeds.filter(({ parked, notBefore }) => parked === undefined && notBefore <= now);
  return {
    run,
    feeds,
    dueCount: due.length,
    started: new Set(),
    probed: new Set(),
    finished: new Set(),
    failures: [],
  };
}

function isDoubtful({ run, dueCount }: Progress): boolean {
  return run.breaker.isDoubtful(dueCount);
}

/**
 * Polls feeds concurrently.
 *
 * @returns the ids of those that were not started.
 */
async function pollAll(
  ids: readonly string[],
  pagesPerTurn: number,
  progress: Progress,
  isProbe = false,
): Promise<readonly string[]> {
  const { run, started, finished, failures } = progress;
  const { options, stopping } = run;
  const queue = new WorkQueue<string>({
    work: async (id) => {
      if (isProbe) progress.probed.add(id);
      const errors = await pollOne(id, context);
      failures.push(...errors);
      const fatal = errors.find(isFatal);
      if (fatal !== undefined) stopping.abort(fatal);
    },
    concurrency: isProbe ? Math.max(ids.length, options.concurrency) : options.concurrency,
    signal: stopping.signal,
    canStart: () => (isProbe || !isDoubtful(progress)) && hasRequestLeft(run),
  });
  const context: SweepContext = {
    run,
    queue,
    pagesPerTurn: Math.min(options.pagesPerTurn, pagesPerTurn),
    started,
    finished,
    onPage: () => {
      noteAnswer(run);
    },
  };
  queue.add(ids);
  return queue.finish();
}

/** Whether the budget allows a poll. A share of it is left to long commands, if there are any. */
function hasRequestLeft({ ports, leftMs, longCommands }: RunContext): boolean {
  const allowance = ports.api.allowance?.(leftMs());
  if (allowance === undefined) return true;
  if (longCommands.length === 0) return allowance.requests > 0;
  const { requests, perMinute } = allowance;
  // At least one, as long as that is not the only one.
  return requests > Math.min(Math.ceil(COMMAND_REQUEST_SHARE * perMinute), perMinute - 1);
}

/**
 * Polls a list or two, and parked ones that are due, to see whether the service works. Reports it if it does
 * not. A shard without the list of projects reads that, too: its own lists may all be refused.
 *
 * @returns true if it works.
 */
async function probe(progress: Progress): Promise<boolean> {
  const { run, feeds } = progress;
  const { breaker, ports, options, limited } = run;
  const { clock } = ports;
  const before = breaker.outage;
  if (before !== undefined && !breaker.canProbe(clock.now())) return false;
  const { successCount } = breaker;
  const hasFailed = ({ id }: Feed): boolean => breaker.isHeld(id);
  const isActive = ({ parked }: Feed): boolean => parked === undefined;
  const groups = breaker.canaries(feeds, clock.now(), options.random);
  // A list that is limited alone comes last: its answer pauses all requests that are not sent yet.
  const isLast = limited.has(options.catalog.projects.path.slice(1));
  let isShown = isLast ? undefined : showsProjects(run);
  for (const group of groups) {
    const ids = limited.inOrder(group.map(({ id }) => id));
    await pollAll(ids, Infinity, progress, true);
    if (breaker.successCount > successCount || (await (isShown ??= showsProjects(run)))) {
      // Those that failed beside it have failed on their own.
      breaker.succeeded(clock.now());
      progress.failures.push(...(await backOffHeld(run)));
      return true;
    }
    // One parked list that fails, instead of being refused as before, speaks for the others.
    if (group.some((feed) => !isActive(feed) && hasFailed(feed))) break;
  }
  if (progress.failures.some(isFatal)) return false;
  const canaries = groups.flat();
  // The time of the run, or its request budget, ended before any of them was answered.
  if (canaries.some(isActive) && !canaries.some(hasFailed)) return false;
  progress.failures.push(...(await dropHeld(run)));
  reportOutage(before, breaker.open(clock.now()), run);
  return false;
}

function reportOutage(before: Outage | undefined, { since }: Outage, run: RunContext): void {
  const { lastError } = run.breaker;
  const { telemetry } = run.ports;
  const fields = { since: new Date(since).toISOString() };
  if (before === undefined) {
    const message = 'The service fails; only a list or two are polled until it works again';
    telemetry.error(message, lastError, fields);
  } else if (lastError !== undefined) {
    telemetry.warn(`The service still fails: ${lastError.message}`, fields);
  }
}

/**
 * Polls a feed and handles its failure.
 *
 * @returns errors that the run fails with; none when the poll succeeded or only the feed fails.
 */
async function pollOne(id: string, context: SweepContext): Promise<readonly unknown[]> {
  const { run, started, finished } = context;
  const { ports, options, registry, suspended, summary, breaker, limited } = run;
  const { telemetry, clock } = ports;
  const { signal } = run.stopping;
  const { paused } = registry.get(id);
  const resource = resourceOf(options.catalog, registry.get(id));
  if (resource === undefined || paused) return [];
  if (!suspended.has(id)) telemetry.count('FeedsPolled', 1);
  started.add(id);
  finished.delete(id);
  const before = registry.get(id);
  try {
    await pollFeed(id, resource, context);
    if (!suspended.has(id) && !signal.aborted) finished.add(id);
    limited.read(id);
    return await backOffHeld(run);
  } catch (error) {
    if (isFatal(error)) return [error];
    if (signal.aborted && error === signal.reason) {
      summary.stoppedEarly = true;
      return [];
    }
    if (error instanceof RateLimitedError) {
      if (error.isAnswer) limited.limited(id, registry.get(id) !== before);
      summary.stoppedEarly = true;
      return [];
    }
    if (error instanceof FeedRefusedError && registry.get(id).parked !== undefined) {
      return backOff({ id, error }, run);
    }
    if (error instanceof FeedError) {
      breaker.failed(id, error);
      return [];
    }
    // The service did its part.
    breaker.succeeded(clock.now());
    if (error instanceof PublishFailedError) {
      telemetry.count('PublishFailures', 1);
      telemetry.count('EventsPublished', error.acceptedCount);
    }
    await postpone(id, error, run);
    return [error];
  }
}

/** The service works. */
function noteAnswer({ breaker, limited, ports }: RunContext): void {
  limited.answered();
  const outage = breaker.succeeded(ports.clock.now());
  if (outage === undefined) return;
  const since = new Date(outage.since).toISOString();
  ports.telemetry.info('The service works again', { since });
}

/** Whether the run cannot continue. */
export function isFatal(failure: unknown): failure is FatalError {
  return failure instanceof FatalError;
}
