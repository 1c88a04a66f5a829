import { isWaiting } from '../feeds/health.ts';
import { openRegistry } from '../feeds/load-feeds.ts';
import { isPolled } from '../model/feed.ts';
import { hasJob } from '../model/job.ts';
import type { Ports } from '../ports/ports.ts';
import { limitRequests } from '../schedule/limit-requests.ts';
import { decode, noteIn } from '../schedule/poll-history-codec.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { isFatal } from './handle-failure.ts';
import { decodeHandover, type Handover } from './handover.ts';
import { freeLease, takeLease } from './lease.ts';
import { reportFeeds, reportOutage } from './report-feeds.ts';
import type { RunContext } from './run-context.ts';
import { reportToken, throwIfFailed, tokenProblem } from './run-failure.ts';
import type { RunOptions } from './run-options.ts';
import { emptySummary, type RunSummary } from './run-summary.ts';
import { ServiceHealth } from './service-health.ts';
import { sweep, type SweepResult } from './sweep.ts';

/** Share of the time until the next sweep or run, or the end of this one, in which jobs may go on. */
const JOB_SHARE = 0.9;

/** Share of a run's time that polling may take while jobs wait, and that a job may take that opens a run. */
const FIRST_SHARE = 2 / 3;

/** The reason with which a run stops because its time is nearly up. */
class DeadlineReachedError extends Error {
  override readonly name = 'DeadlineReachedError';
}

/** A history older than this many runs no longer shows when feeds were polled. */
const RUNS_REMEMBERED = 3;

/**
 * One run: take the lease → load the feeds of the shard → choose → poll several feeds concurrently → leave a note
 * for the next run → free the lease. Choosing and polling repeat if {@link RunOptions.pollEveryMs} is set.
 *
 * A feed that fails waits; the others continue. After a failure of our own (topic, table, quarantine)
 * the run fails once all other feeds are done, so that the failure is seen.
 *
 * Without a refresh token, or with one that is refused, it ends without a failure.
 *
 * @throws FatalError when the run cannot continue: no answer of the token endpoint, say.
 * @throws AggregateError when pages could not be committed.
 */
export async function run(ports: Ports, options: RunOptions): Promise<RunSummary> {
  const lease = await takeLease(ports, options);
  if (lease === undefined) return { ...emptySummary(), leaseHeld: true };
  const stopping = new AbortController();
  const done = new AbortController();
  void ports.clock.sleep(options.remainingMs() - options.reserveMs, done.signal).then(() => {
    stopping.abort(new DeadlineReachedError('The time of the run is nearly up'));
  });
  try {
    await ports.store.openTable();
    const { context, handover } = await openRun(ports, options, stopping);
    return await pollAndReport(context, handover);
  } finally {
    done.abort();
    await freeLease(ports, lease);
  }
}

/** Loads the feeds of a run that has its lease, and what the run before left for it. */
async function openRun(
  unlimited: Ports,
  options: RunOptions,
  stopping: AbortController,
): Promise<{ readonly context: RunContext; readonly handover: Handover }> {
  const { store, clock } = unlimited;
  const leftMs = (): number => options.remainingMs() - options.reserveMs;
  const now = clock.now();
  const encoded = await store.loadPollHistory(options.shard);
  const handover = decodeHandover(noteIn(encoded), now);
  if (handover.api !== undefined) unlimited.api.resume?.(handover.api);
  const registry = await openRegistry(store, options);
  const ids = registry.all().map(({ id }) => id);
  // Runs since then polled all feeds and saved none, or failed.
  const history = decode(encoded, ids, now, RUNS_REMEMBERED * options.everyMs);
  const isAllPaused = await store.loadAllPaused();
  const hasWaiting = !isAllPaused && registry.all().some(isWaiting);
  const api = limitRequests(unlimited.api, () => clock.now() + leftMs());
  const ports = { ...unlimited, api };
  const context = {
    ports,
    options,
    registry,
    scheduler: new Scheduler(ports, options, history),
    // Where no list waits, none would ever tell that it is over.
    health: new ServiceHealth(hasWaiting ? handover.outage : undefined),
    paging: { api, clock, options: options.paging },
    summary: emptySummary(),
    isAllPaused,
    stopping,
    polling: stopping.signal,
    leftMs,
  };
  return { context, handover };
}

/** Polls, reports what came of it, and leaves a note for the next run. */
async function pollAndReport(run: RunContext, before: Handover): Promise<RunSummary> {
  const { ports, registry, scheduler, summary, health } = run;
  const { telemetry, clock } = ports;
  const startedAt = clock.now();
  let { polledAllAt, token } = before;
  try {
    const failures = await sweepUntilDeadline(run);
    const isWhole = failures.length === 0 && !summary.stoppedEarly && !health.outage(startedAt);
    if (isWhole && !scheduler.isShort) polledAllAt = startedAt;
    reportLists(run);
    const fatal = failures.find(isFatal);
    if (fatal === undefined) scheduler.reportWaits();
    reportToken(fatal, summary, telemetry);
    // A run that asked nothing knows no better than the one before.
    token = tokenProblem(fatal) ?? (summary.polled > 0 ? undefined : token);
    throwIfFailed(failures);
    telemetry.count('RunsCompleted', 1);
    return summary;
  } finally {
    await scheduler.save(registry.all(), {
      outage: health.outage(clock.now()),
      api: ports.api.handOver?.(),
      limited: ports.api.allowance?.(0).limited,
      polledAllAt,
      token,
    } satisfies Handover);
  }
}

/** Reports where the lists stand at the end of a run. */
function reportLists(run: RunContext): void {
  const { options, registry, summary, isAllPaused } = run;
  const { catalog } = options;
  const feeds = registry.all().filter((feed) => isPolled(catalog, feed) && !isAllPaused);
  summary.feeds = feeds.length;
  const paused = registry.all().filter((feed) => isAllPaused || feed.paused === true);
  if (paused.length > 0) summary.paused = paused.length;
  reportFeeds(feeds, run);
  reportOutage(run);
}

/**
 * Sweeps once, or until no time remains for a further sweep or something failed. Jobs go on after each sweep.
 *
 * @returns the errors that the run fails with.
 */
async function sweepUntilDeadline(context: RunContext): Promise<readonly unknown[]> {
  const { ports, options, leftMs, stopping, summary, registry } = context;
  const { everyMs, pollEveryMs } = options;
  const { clock } = ports;
  const polled = new Set<string>();
  const startedAt = clock.now();
  const firstEnd = startedAt + FIRST_SHARE * leftMs();
  const isCutOff = registry.all().some((feed) => hasJob(feed) && feed.job.isCutOff === true);
  const tried = new Set<string>();
  const opening = isCutOff ? await workOn(context, firstEnd, tried, true) : [];
  if (opening.length > 0) return opening;
  for (;;) {
    const sweptAt = clock.now();
    const leftAtStart = leftMs();
    const isLast = pollEveryMs === undefined || leftAtStart <= pollEveryMs;
    const turnMs = isLast ? Math.max(1000, startedAt + everyMs - sweptAt) : pollEveryMs;
    const endsEarly = !isCutOff && sweptAt < firstEnd && registry.all().some(hasJob);
    const { started, failures: failed } = await (endsEarly
      ? sweepUntil(firstEnd, turnMs, context)
      : sweep(turnMs, context));
    for (const id of started) polled.add(id);
    summary.polled = polled.size;
    // After a sweep that took more than its turn they have half as long.
    const ownMs = Math.max(JOB_SHARE * turnMs, 1.5 * (clock.now() - sweptAt));
    const until = sweptAt + Math.min(ownMs, JOB_SHARE * leftAtStart);
    // A page that cannot be published or saved holds up no job: there may be one in each run.
    const failures = failed.some(isFatal)
      ? failed
      : [...failed, ...(await workOn(context, until, tried))];
    if (isLast || failures.length > 0 || stopping.signal.aborted) return failures;
    await clock.sleep(sweptAt + pollEveryMs - clock.now(), stopping.signal);
    if (stopping.signal.aborted) return failures;
  }
}

/** Sweeps, and ends its polls at a time: jobs wait, and polling may take all of the run. */
async function sweepUntil(end: number, turnMs: number, context: RunContext): Promise<SweepResult> {
  const { clock } = context.ports;
  const ending = new AbortController();
  const done = new AbortController();
  void clock.sleep(end - clock.now(), done.signal).then(() => {
    ending.abort(new DeadlineReachedError('Polls have to end: jobs wait'));
  });
  try {
    const polling = AbortSignal.any([context.stopping.signal, ending.signal]);
    return await sweep(turnMs, { ...context, polling });
  } finally {
    done.abort();
  }
}

/**
 * Works on jobs until a time. Their code is loaded only when there are any.
 *
 * @returns the errors that the run fails with.
 */
async function workOn(
  context: RunContext,
  until: number,
  tried: Set<string>,
  onlyCutOff = false,
): Promise<readonly unknown[]> {
  if (!context.registry.all().some(hasJob)) return [];
  const { workOnJobs } = await import('../jobs/work-on-jobs.ts');
  try {
    await workOnJobs(context, until, tried, onlyCutOff);
    return [];
  } catch (error) {
    return [error];
  }
}
