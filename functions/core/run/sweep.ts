import { dueAt, isPolled, resourceOf, type Feed } from '../model/feed.ts';
import { handleFailure, isCutOff, isFatal } from './handle-failure.ts';
import { pollFeed } from './poll-feed.ts';
import { PollQueue } from './poll-queue.ts';
import type { RunContext, SweepContext } from './run-context.ts';

/** The outcome of a sweep. */
export interface SweepResult {
  /** Ids of the feeds that were polled. */
  readonly started: ReadonlySet<string>;
  /** Errors that the run fails with. */
  readonly failures: readonly unknown[];
}

/**
 * Polls the scheduled feeds, and feeds that become due meanwhile, until the request budget is
 * spent. The next sweep takes the longer wait of the remaining feeds into account. Where the
 * polling of a resource has ended, others take the requests that it leaves.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, run: RunContext): Promise<SweepResult> {
  const { registry, health, options, ports, polling } = run;
  // A list that was removed from config, or is paused, is neither polled nor scheduled.
  const feeds = registry
    .all()
    .filter((feed) => isPolled(options.catalog, feed) && !run.isAllPaused);
  const now = ports.clock.now();
  health.noteDue(feeds.flatMap((feed) => (dueAt(feed) <= now ? feed.id : [])));
  const started = new Set<string>();
  const failures: unknown[] = [];
  let endedCount = 0;
  do {
    endedCount = health.endedCount;
    const left = feeds.filter(({ id }) => !started.has(id) && !health.hasEnded(id));
    const polled = await pollChosen(left, turnMs, run);
    for (const id of polled.started) started.add(id);
    failures.push(...polled.failures);
  } while (health.endedCount > endedCount && !polling.aborted);
  return { started, failures };
}

/** Polls as many of these feeds as the request budget covers. */
async function pollChosen(
  feeds: readonly Feed[],
  turnMs: number,
  run: RunContext,
): Promise<SweepResult> {
  const { registry, scheduler, health, options, summary } = run;
  const ranked = scheduler.rankFeeds(feeds, turnMs, run.leftMs());
  const queue = new PollQueue({
    poll: (id) => poll(id, context),
    concurrency: options.concurrency,
    signal: run.polling,
    canStart: (activeCount) => hasRequestLeft(run, activeCount),
    isLeft: (id) => health.hasEnded(id),
  });
  const context: SweepContext = {
    ...{ run, queue },
    pagesPerTurn: Math.min(options.pagesPerTurn, ranked.pagesPerTurn),
    ...{ started: new Set(), finished: new Set(), suspended: new Map(), failures: [] },
    addDue: (ids) => {
      health.noteDue(ids);
      queue.addFirst(ids);
    },
  };
  queue.add(ranked.feeds.map(({ id }) => id));
  const waiting = await queue.finish();
  scheduler.recordSweep(registry, context);
  summary.stoppedEarly ||= waiting.some((id) => !health.hasEnded(id));
  return context;
}

/** Polls a feed for one turn. An error without which the run cannot continue stops it. */
async function poll(id: string, context: SweepContext): Promise<void> {
  const { run, started, finished, suspended, failures } = context;
  const { registry, options, ports, summary, polling } = run;
  const resource = resourceOf(options.catalog, registry.get(id));
  if (resource === undefined || registry.get(id).paused) return;
  if (!suspended.has(id)) ports.telemetry.count('FeedsPolled', 1);
  started.add(id);
  finished.delete(id);
  try {
    // The copy may be stale: a list whose baseline is over must not be silent.
    if (registry.get(id).phase === 'baseline') await registry.reload(id);
    await pollFeed(id, resource, context);
    if (!suspended.has(id) && !polling.aborted) finished.add(id);
  } catch (error) {
    if (isFatal(error)) {
      // Mostly it has asked nothing, for want of a token.
      started.delete(id);
      failures.push(error);
      run.stopping.abort(error);
    } else if (isCutOff(error, run)) {
      summary.stoppedEarly = true;
    } else {
      failures.push(...(await handleFailure(id, error, run)));
    }
  }
}

/**
 * Requests that are left to each list in process before another one is started: a tie larger than a
 * page needs three, and the next run would begin with the first of them.
 */
const REQUESTS_TO_ADVANCE = 3;

/** Whether the budget allows a poll beside others. */
function hasRequestLeft({ ports, leftMs }: RunContext, activeCount: number): boolean {
  const allowance = ports.api.allowance?.(leftMs());
  if (allowance === undefined) return true;
  return allowance.requests > 0 && allowance.requests >= REQUESTS_TO_ADVANCE * activeCount;
}
