import { applyCommands } from '../feeds/apply-commands.ts';
import { loadShard, openRegistry } from '../feeds/load-shard.ts';
import { carryOutOrders } from '../feeds/sync-projects.ts';
import { unmatchedProjects, warnOfUnmatched } from '../feeds/unmatched-projects.ts';
import { fencePorts } from '../lease/fenced-ports.ts';
import { holdLease, type HeldLease } from '../lease/lease.ts';
import { joinLayout, leaseName } from '../lease/shard-layout.ts';
import { isLong } from '../model/command.ts';
import { isPolled } from '../model/feed.ts';
import { PageBuffer } from '../paging/page-buffer.ts';
import { ServiceTime } from '../paging/service-time.ts';
import type { Ports } from '../ports/ports.ts';
import { limitRequests } from '../schedule/limit-requests.ts';
import { Scheduler } from '../schedule/scheduler.ts';
import { Breaker } from './breaker.ts';
import { decodeHandover, encodeHandover, mergeHandovers } from './handover.ts';
import { isFatal } from './poll-lists.ts';
import type { RunContext } from './run-context.ts';
import { reportToken, throwIfFailed, tokenProblem } from './run-failure.ts';
import { COMMAND_TIME_SHARE, type RunOptions } from './run-options.ts';
import { emptySummary, reportFeeds, type RunSummary } from './run-summary.ts';
import { sweep, type SweepResult } from './sweep.ts';

/** Share of the time until the next sweep or run, or the end of this one, in which long commands may go on. */
const COMMAND_SHARE = 0.9;

/** The reason with which a run stops because its time is nearly up. */
class DeadlineReachedError extends Error {
  override readonly name = 'DeadlineReachedError';
}

/**
 * One run: lease the shard → load its feeds → schedule → poll several feeds concurrently → release.
 * Scheduling and polling repeat if {@link RunOptions.pollEveryMs} is set.
 *
 * A feed that fails backs off on its own; the others continue. After a failure of our own (topic, table,
 * quarantine) the cursor stays, repeated failures back off, and the run fails once all other feeds are done,
 * so that the failure is seen.
 *
 * Without a refresh token, or with one that is refused, it ends without a failure.
 *
 * @throws FatalError when the run cannot continue: lease lost, no answer of the token endpoint.
 * @throws AggregateError when pages could not be committed.
 */
export async function run(ports: Ports, options: RunOptions): Promise<RunSummary> {
  const { telemetry, clock } = ports;
  const stopping = new AbortController();
  const layout = await joinLayout(ports, options);
  if (layout === undefined) return { ...emptySummary(), leaseHeld: true };
  const shard = leaseName(layout, options.shard);
  const lease = await holdLease(ports, { ...options, shard }, stopping);
  if (lease === undefined) {
    telemetry.count('LeaseHeld', 1);
    telemetry.info('Another run holds the lease', { shard });
    return { ...emptySummary(), leaseHeld: true };
  }
  const leftMs = (): number => options.remainingMs() - options.reserveMs;
  const done = new AbortController();
  void clock.sleep(leftMs(), done.signal).then(() => {
    stopping.abort(new DeadlineReachedError('The time of the run is nearly up'));
  });
  const startedAt = clock.now();
  const notes = lease.note === undefined ? (layout.notes ?? []) : [lease.note];
  const handovers = notes.map((note) => decodeHandover(note, startedAt));
  const handover =
    lease.note === undefined ? mergeHandovers(handovers, startedAt) : (handovers[0] ?? {});
  const breaker = new Breaker(handover);
  const serviceTime = new ServiceTime(clock, handover.knownDate);
  for (const { api } of handovers) if (api !== undefined) ports.api.resume?.(api);
  let { polledAllAt, token } = handover;
  const makeNote = (): string =>
    encodeHandover({
      ...breaker.handover(clock.now()),
      api: ports.api.handOver?.(),
      knownDate: serviceTime.known,
      polledAllAt,
      token,
    });
  try {
    await ports.store.openTable(lease.guard);
    const context = await openRun(ports, options, {
      lease,
      breaker,
      serviceTime,
      stopping,
      leftMs,
    });
    // Not before: the first run of a shard must carry out all orders, and a note says that it has.
    lease.handOver(makeNote);
    const { registry, scheduler, summary } = context;
    const failures = await sweepUntilDeadline(context);
    const isWhole = failures.length === 0 && !summary.stoppedEarly && !breaker.outage;
    if (isWhole && !scheduler.isShort) polledAllAt = startedAt;
    const { isAllPaused } = context;
    const feeds = registry.all().filter((feed) => isPolled(options.catalog, feed) && !isAllPaused);
    summary.feeds = feeds.length;
    const paused = registry.all().filter((feed) => isAllPaused || feed.paused === true);
    if (paused.length > 0) summary.paused = paused.length;
    reportFeeds(feeds, context, startedAt + options.everyMs);
    const unmatched = unmatchedProjects(registry.all(), options.catalog, options.partitions);
    warnOfUnmatched(unmatched, telemetry);
    const fatal = failures.find(isFatal);
    if (fatal === undefined) await scheduler.finish(registry.all());
    reportToken(fatal, summary, telemetry);
    // A run that asked nothing knows no better than the one before.
    token = tokenProblem(fatal) ?? (summary.polled > 0 ? undefined : token);
    throwIfFailed(failures);
    telemetry.count('RunsCompleted', 1);
    return summary;
  } finally {
    done.abort();
    await lease.release();
  }
}

/** Loads the feeds of a run that holds its lease. */
async function openRun(
  unfenced: Ports,
  options: RunOptions,
  {
    lease,
    breaker,
    serviceTime,
    stopping,
    leftMs,
  }: Pick<RunContext, 'breaker' | 'stopping' | 'leftMs'> & {
    readonly lease: HeldLease;
    readonly serviceTime: ServiceTime;
  },
): Promise<RunContext> {
  const { clock } = unfenced;
  const fenced = fencePorts(unfenced, lease.guard);
  const { store } = fenced;
  const { telemetry } = unfenced;
  const shard = await loadShard(store, options, {
    now: clock.now(),
    canWake: breaker.canWake,
    isFirst: lease.note === undefined,
  });
  const registry = await openRegistry(store, shard, options);
  const { catalog } = options;
  const parkedCount = await carryOutOrders(shard.orders, { catalog, registry, store });
  telemetry.count('FeedsParked', parkedCount);
  await applyCommands(shard.commands, registry, store);
  const api = limitRequests(unfenced.api, () => clock.now() + leftMs());
  const ports = { ...unfenced, ...fenced, api };
  return {
    ports,
    options,
    registry,
    scheduler: new Scheduler(ports, options, shard.feeds, shard.pollHistory),
    breaker,
    paging: {
      api,
      clock,
      options: options.paging,
      pageBuffer: new PageBuffer(options.pageBytes),
      serviceTime,
    },
    summary: { ...emptySummary(), parked: parkedCount },
    longCommands: shard.commands.filter(({ command }) => isLong(command)),
    suspended: new Map(),
    uncommitted: new Set(),
    isAllPaused: await store.loadAllPaused(),
    stopping,
    polling: stopping.signal,
    leftMs,
  };
}

/**
 * Sweeps once, or until no time remains for a further sweep or something failed.
 *
 * @returns the errors that the run fails with.
 */
async function sweepUntilDeadline(context: RunContext): Promise<readonly unknown[]> {
  const { ports, options, leftMs, stopping, summary } = context;
  const { everyMs, pollEveryMs } = options;
  const { clock } = ports;
  const polled = new Set<string>();
  const startedAt = clock.now();
  let hadCommands = false;
  for (;;) {
    const sweptAt = clock.now();
    const leftAtStart = leftMs();
    const isLast = pollEveryMs === undefined || leftAtStart <= pollEveryMs;
    const turnMs = isLast ? Math.max(1000, startedAt + everyMs - sweptAt) : pollEveryMs;
    const { started, failures: failed } = await (hadCommands
      ? sweep(turnMs, context)
      : sweepBeforeCommands(turnMs, context));
    for (const id of started) polled.add(id);
    summary.polled = polled.size;
    // After a sweep that took more than its turn they have half as long.
    const ownMs = Math.max(COMMAND_SHARE * turnMs, 1.5 * (clock.now() - sweptAt));
    const until = sweptAt + Math.min(ownMs, COMMAND_SHARE * leftAtStart);
    // A page that cannot be published or saved holds up no command: there may be one in each run.
    const failures = failed.some(isFatal)
      ? failed
      : [...failed, ...(await continueCommands(context, until))];
    hadCommands ||= context.longCommands.length > 0;
    if (isLast || failures.length > 0 || stopping.signal.aborted) return failures;
    await clock.sleep(sweptAt + pollEveryMs - clock.now(), stopping.signal);
    if (stopping.signal.aborted) return failures;
  }
}

/**
 * Sweeps, and ends its polls when a share of the run's time is left, if long commands wait for it: polling may take all of it.
 * Not in each run: where the service gives no answer, only a run of full length shows that it fails.
 */
async function sweepBeforeCommands(turnMs: number, context: RunContext): Promise<SweepResult> {
  const { ports, options, longCommands, stopping, leftMs } = context;
  if (longCommands.length === 0 || options.random() > 0.5) return sweep(turnMs, context);
  const ending = new AbortController();
  const done = new AbortController();
  void ports.clock.sleep((1 - COMMAND_TIME_SHARE) * leftMs(), done.signal).then(() => {
    ending.abort(new DeadlineReachedError('Polls have to end: commands wait'));
  });
  try {
    const polling = AbortSignal.any([stopping.signal, ending.signal]);
    return await sweep(turnMs, { ...context, polling });
  } finally {
    done.abort();
  }
}

/**
 * Works on long commands in the time that is left. Their code is loaded only when there are any.
 *
 * @returns the errors that the run fails with.
 */
async function continueCommands(context: RunContext, until: number): Promise<readonly unknown[]> {
  if (context.longCommands.length === 0) return [];
  const { workOnCommands } = await import('./long-commands/work-on-commands.ts');
  try {
    context.longCommands = await workOnCommands(context.longCommands, context, until);
    return [];
  } catch (error) {
    return [error];
  }
}
