import { isPolled, newFeed, type Feed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import { backOffHeld, dropHeld } from './back-off.ts';
import type { Outage } from './handover.ts';
import { showsProjects } from './poll-feed.ts';
import { isDoubtful, isFatal, pollAll, pollCanaries, type Progress } from './poll-lists.ts';
import type { RunContext } from './run-context.ts';

/** The outcome of a sweep. */
export interface SweepResult {
  /** Ids of the feeds that were polled. */
  readonly started: ReadonlySet<string>;
  /** Errors that the run fails with. */
  readonly failures: readonly unknown[];
}

/**
 * Polls the scheduled feeds, and feeds that become due meanwhile, until the request budget is spent.
 * The next sweep takes the longer wait of the remaining feeds into account. While the whole service
 * fails, only one feed of each resource is polled, see {@link Breaker}.
 *
 * @param turnMs time until the next sweep, of this run or the next one.
 */
export async function sweep(turnMs: number, run: RunContext): Promise<SweepResult> {
  const { registry, scheduler, summary, breaker } = run;
  const progress = newProgress(run);
  const { started, failures } = progress;
  const mustProbe = breaker.outage !== undefined || breaker.isSuspect(progress.feeds);
  if (mustProbe && !(await probe(progress)) && breaker.outage !== undefined) return progress;
  const feeds = progress.feeds.map((feed) => breaker.wake(feed));
  const ranked = scheduler.rankFeeds(feeds, turnMs, run.leftMs());
  // One failure says too little, if others may be polled later.
  progress.dueCount = Math.min(progress.dueCount, Math.max(2, ranked.feeds.length));
  let waiting: readonly string[] = ranked.feeds.map(({ id }) => id);
  do waiting = await pollAll(withoutProbed(waiting, progress), ranked.pagesPerTurn, progress);
  while (isDoubtful(progress) && (await probe(progress)));
  failures.push(...(await backOffHeld(run)));
  scheduler.recordSweep(registry, progress);
  summary.stoppedEarly ||= waiting.length > 0;
  return { started, failures };
}

/** A list is polled once a sweep: what was probed, and what the probed projects showed, is done. */
function withoutProbed(ids: readonly string[], { probed }: Progress): readonly string[] {
  return ids.filter((id) => !probed.has(id));
}

function newProgress(run: RunContext): Progress {
  const { options, registry } = run;
  // A list that was removed from config, or is paused, is neither polled nor scheduled.
  const feeds = registry
    .all()
    .filter((feed) => isPolled(options.catalog, feed) && !run.isAllPaused);
  const now = run.ports.clock.now();
  const { successCount } = run.breaker;
  const due = feeds.filter(({ parked, notBefore }) => parked === undefined && notBefore <= now);
  return {
    run,
    startedAt: now,
    feeds,
    dueCount: due.length,
    hasRead: () => run.breaker.successCount > successCount,
    started: new Set(),
    probed: new Set(),
    finished: new Set(),
    failures: [],
    probing: new Map(),
  };
}

/**
 * Polls one list of each resource, and parked ones that are due, to see whether the service works. Reports it if it does
 * not. A shard without the list of projects reads that, too: its own lists may all be refused.
 *
 * @returns true if it works.
 */
async function probe(progress: Progress): Promise<boolean> {
  const { run, feeds } = progress;
  const { breaker, ports, options, registry } = run;
  const { clock } = ports;
  const before = breaker.outage;
  // Where all lists are paused, or the list of projects is and all others are parked, no probe can show that the service works
  // again, and a reconciliation waits for that.
  const hasProjects = registry.has(newFeed(options.catalog.projects, 'live').id);
  if (feeds.length === 0 || (hasProjects && !feeds.some(isActive))) {
    breaker.succeeded(clock.now());
    return true;
  }
  if (before !== undefined && !breaker.canProbe(feeds, clock.now())) return false;
  const { successCount } = breaker;
  const hasFailed = ({ id }: Feed): boolean => breaker.isHeld(id);
  const groups = breaker.canaries(feeds, clock.now(), options.random);
  const isUnasked = before !== undefined && breaker.mustWait(clock.now());
  const isShown = isUnasked ? false : showsProjects(run);
  for (const group of groups) {
    await pollCanaries(
      group.map(({ id }) => id),
      progress,
    );
    if (breaker.successCount > successCount || (await isShown)) {
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
  // Others were read just now: those that failed may have failed on their own. The next sweep begins with a probe.
  if (before === undefined && progress.hasRead()) return false;
  progress.failures.push(...(await dropHeld(run)));
  reportOutage(before, breaker.open(clock.now(), progress.startedAt), run);
  return false;
}

function isActive({ parked }: Feed): boolean {
  return parked === undefined;
}

function reportOutage(before: Outage | undefined, { since }: Outage, run: RunContext): void {
  const { lastError } = run.breaker;
  const { telemetry } = run.ports;
  const fields = { since: isoTime(since) };
  if (before === undefined) {
    const message = 'The service fails; only one list of each kind is polled until it works again';
    telemetry.error(message, lastError, fields);
  } else if (lastError !== undefined) {
    telemetry.warn(`The service still fails: ${lastError.message}`, fields);
  }
}
