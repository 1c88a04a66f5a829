/**
 * One sweep over the lists: polls those chosen, several at a time, while the request budget lasts.
 *
 * - Lists that a page of projects makes due are polled before all others.
 * - A giant list gives way to the others after some pages, and goes on behind them. The list of
 *   projects does not in its first pass: until its end some projects have no feeds.
 * - Five failures in a row end the polling of a resource, see `service-health.ts`. Other lists get
 *   its requests.
 * - A failed list waits, and the others go on. A fatal error, such as a refused token, stops the
 *   run.
 */
import { commitPage } from '../commit/commit-page.ts';
import { readAhead } from '../lists/read-ahead.ts';
import { FeedReader } from '../lists/read-feed.ts';
import { dueAt, isProjectsFeed, type Feed } from '../model/feed.ts';
import { FIRST_SHARE, hasJob } from '../model/job.ts';
import type { Resource } from '../model/resource-catalog.ts';
import { handleFailure, isCutOff, isFatal } from './handle-failure.ts';
import { PollQueue } from './poll-queue.ts';
import type { RunContext } from './run-context.ts';

/** The outcome of a sweep. */
export interface SweepResult {
  /** Ids of the feeds that were polled. */
  readonly polled: ReadonlySet<string>;
  /** Errors that the run fails with. */
  readonly failures: readonly unknown[];
}

/**
 * @param turnMs time until the next sweep, of this run or the next one.
 * @param signal aborted when polls must end: with the run, or before, to leave time for jobs.
 */
export async function sweep(
  turnMs: number,
  run: RunContext,
  signal: AbortSignal,
): Promise<SweepResult> {
  const { registry, health, scheduler, ports, time } = run;
  const feeds = registry.polled();
  const now = ports.clock.now();
  health.noteDue(feeds.filter((feed) => dueAt(feed) <= now).map(({ id }) => id));
  const polled = new Set<string>();
  const failures: unknown[] = [];
  let endedCount = 0;
  do {
    endedCount = health.endedCount;
    const left = feeds.filter(({ id }) => !polled.has(id) && !health.hasEnded(id));
    const ranked = scheduler.rankFeeds(left, turnMs, time.leftMs());
    const polls = new Polls(run, ranked.pagesPerTurn, signal);
    failures.push(...(await polls.pollAll(ranked.feeds)));
    for (const id of polls.isFinished.keys()) polled.add(id);
  } while (health.endedCount > endedCount && !signal.aborted);
  return { polled, failures };
}

/** The polls of chosen lists, and of those that become due meanwhile. */
class Polls {
  /** Whether a poll reached the end of its list, by the ids of the polled feeds. */
  readonly isFinished = new Map<string, boolean>();
  readonly #run: RunContext;
  readonly #pagesPerTurn: number;
  readonly #signal: AbortSignal;
  readonly #queue: PollQueue;
  /** Polls that gave way to other lists, by feed id. */
  readonly #suspended = new Map<string, FeedReader>();
  readonly #failures: unknown[] = [];

  constructor(run: RunContext, pagesPerTurn: number, signal: AbortSignal) {
    this.#run = run;
    this.#pagesPerTurn = Math.min(run.options.pagesPerTurn, pagesPerTurn);
    this.#signal = signal;
    const keptShare = run.registry.all().some(hasJob) ? 1 - FIRST_SHARE : 0;
    // A run may be shorter than the minute of its budget.
    const { requests, perMinute } = run.ports.api.allowance(run.time.leftMs());
    const keptCount = Math.floor(keptShare * Math.min(requests, perMinute));
    this.#queue = new PollQueue({
      poll: (id) => this.#poll(id),
      concurrency: run.options.concurrency,
      signal,
      canStart: (activeCount) => hasRequestLeft(run, activeCount, keptCount),
      isLeft: (id) => run.health.hasEnded(id),
    });
  }

  /** @returns errors that the run fails with. */
  async pollAll(feeds: readonly Feed[]): Promise<readonly unknown[]> {
    const { registry, scheduler, summary, health } = this.#run;
    this.#queue.add(feeds.map(({ id }) => id));
    const unreached = await this.#queue.finish();
    scheduler.recordSweep(registry, this.isFinished);
    summary.stoppedEarly ||= unreached.some((id) => !health.hasEnded(id));
    return this.#failures;
  }

  /** Polls a list for one turn. */
  async #poll(id: string): Promise<void> {
    const { registry, summary, time } = this.#run;
    const resource = registry.polledResource(id);
    if (resource === undefined) return;
    this.isFinished.set(id, false);
    try {
      // A stale copy would keep the changes after a baseline silent. Between two turns the copy
      // stays, so that an operator's write meanwhile is a conflict.
      const isNew = !this.#suspended.has(id);
      if (isNew && registry.get(id).phase === 'baseline') await registry.reload(id);
      this.isFinished.set(id, await this.#readTurn(id, resource));
    } catch (error) {
      if (isFatal(error)) {
        // Mostly there is no token, and no request was sent.
        this.isFinished.delete(id);
        this.#failures.push(error);
        time.stop(error);
      } else if (isCutOff(error)) summary.stoppedEarly = true;
      else this.#failures.push(...(await handleFailure(id, error, this.#run)));
    }
  }

  /**
   * Reads and commits pages until the list ends, its turn is over, or polls must end. The next page
   * is requested while one is committed.
   *
   * @returns whether the list was read to its end.
   * @throws the error that kept a page from being committed; those before it are committed.
   */
  async #readTurn(id: string, resource: Resource): Promise<boolean> {
    const { registry, lists, health } = this.#run;
    const reader = this.#suspended.get(id) ?? new FeedReader(resource, registry.get(id), lists);
    this.#suspended.delete(id);
    const leaving = new AbortController();
    const signal = AbortSignal.any([this.#signal, leaving.signal]);
    const limit = {
      pagesPerTurn: findsFeeds(registry.get(id)) ? Infinity : this.#pagesPerTurn,
      hasWaiting: () => this.#queue.hasWaiting,
      clock: lists.clock,
    };
    const onDue = this.#addDue.bind(this);
    try {
      for await (const page of readAhead(reader, signal, limit)) {
        health.noteRead(id);
        const { beganAt } = page;
        const feed = registry.get(id);
        await commitPage(page, { run: this.#run, feed, resource, beganAt, cause: 'poll', onDue });
        if (page.isLast) return true;
      }
    } finally {
      leaving.abort(new Error(`${id} is no longer polled`));
    }
    this.#suspended.set(id, reader);
    this.#queue.add([id]);
    return false;
  }

  /** Polls next the lists that a page made due: new, restored or just parked. */
  #addDue(ids: readonly string[]): void {
    this.#run.health.noteDue(ids);
    this.#queue.addFirst(ids);
  }
}

/**
 * Requests kept for each list in flight. A tie larger than a page needs three: with fewer, each run
 * would begin the tie anew.
 */
const REQUESTS_TO_ADVANCE = 3;

/**
 * Whether the budget allows a poll beside others.
 *
 * @param keptCount requests that are left to jobs.
 */
function hasRequestLeft(
  { ports, time }: RunContext,
  activeCount: number,
  keptCount: number,
): boolean {
  const left = ports.api.allowance(time.leftMs()).requests - keptCount;
  return left > 0 && left >= REQUESTS_TO_ADVANCE * activeCount;
}

/** Whether the pages of a list bring new projects: those of the first pass over the projects. */
function findsFeeds(feed: Feed): boolean {
  return isProjectsFeed(feed) && feed.phase === 'baseline';
}
