import { openRegistry, loadShard, type ShardOptions } from '../feeds/load-shard.ts';
import { fencePorts } from '../lease/fenced-ports.ts';
import { holdLease } from '../lease/lease.ts';
import { PageBuffer } from '../paging/page-buffer.ts';
import { Scheduler, type SchedulerOptions } from '../schedule/scheduler.ts';
import { isFatal, sweep, type SweepContext } from './sweep.ts';
import { emptySummary, type RunSummary } from './run-summary.ts';
import type { PagingOptions } from '../paging/paginator.ts';
import { type Ports } from '../ports/ports.ts';

/** How a run is done; from the operator's config. */
export interface RunOptions extends SchedulerOptions, ShardOptions {
  /** Names the run in its lease. */
  readonly runId: string;
  readonly shard: string;
  /** `{base_url}/api/v3`, the source of the events. */
  readonly source: string;
  readonly paging: PagingOptions;
  /** Feeds that are polled side by side. */
  readonly concurrency: number;
  /** Pages of one feed in a row, if others wait for their turn. */
  readonly pagesPerTurn: number;
  /** Bytes that the bodies of pages may have that are in memory at once, see {@link PageBuffer}. */
  readonly pageBytes: number;
  /** How long the lease lasts without being renewed. */
  readonly leaseMs: number;
  /** A run stops when so much of its time is left, to finish the pages it has begun. */
  readonly reserveMs: number;
  /** Time left before the run is killed. */
  readonly remainingMs: () => number;
  /**
   * Sweep over the feeds again after so long, within the same run, as far as budget and time go.
   * Absent: one sweep.
   */
  readonly pollEveryMs?: number;
}

/** The reason with which a run is stopped because its time is nearly up. */
class DeadlineReached extends Error {
  override readonly name = 'DeadlineReached';
}

/**
 * One run: lease the shard → load its feeds → plan → poll several at a time → release. The last two
 * are done again and again if the operator wants that, see {@link RunOptions.pollEveryMs}.
 *
 * A feed that fails backs off alone; the others go on. What is not the service's fault (topic,
 * table) leaves its feed as it was, and the run fails when all others are done, so that the failure
 * is seen.
 *
 * @throws FatalError when nothing more can be done: no access token, lease lost.
 * @throws AggregateError when pages could not be committed.
 */
export async function run(ports: Ports, options: RunOptions): Promise<RunSummary> {
  const summary = emptySummary();
  const { telemetry, clock } = ports;
  const stopping = new AbortController();
  const lease = await holdLease(ports, options, stopping);
  if (lease === undefined) {
    telemetry.count('LeaseHeld', 1);
    telemetry.info('Another run holds the lease', { shard: options.shard });
    return { ...summary, leaseHeld: true };
  }
  const leftMs = (): number => options.remainingMs() - options.reserveMs;
  const done = new AbortController();
  void clock.sleep(leftMs(), done.signal).then(() => {
    stopping.abort(new DeadlineReached('The run has to stop before its time is up'));
  });
  try {
    await ports.store.openTable({ ...lease.guard, signal: stopping.signal });
    const fenced = fencePorts(ports, lease.guard);
    const { feeds, plan } = await loadShard(fenced.store, options, clock.now());
    const registry = await openRegistry(fenced.store, feeds, options);
    const scheduler = new Scheduler({ ...ports, ...fenced }, options, feeds, plan);
    const context: SweepContext = {
      ...ports,
      ...fenced,
      ...options,
      registry,
      scheduler,
      summary,
      leftMs,
      failures: [],
      polled: new Set(),
      suspended: new Map(),
      filters: new Map(),
      oneAtATime: new Set(),
      pageBuffer: new PageBuffer(options.pageBytes),
      signal: stopping.signal,
      stopping,
    };
    await sweepUntilDeadline(context, options);
    summary.feeds = registry.all().length;
    summary.polled = context.polled.size;
    if (!context.failures.some(isFatal)) await scheduler.finish(registry.all());
    throwIfFailed(context.failures);
    telemetry.count('RunsCompleted', 1);
    return summary;
  } finally {
    done.abort();
    await lease.release();
  }
}

/** Sweeps once, or until there is no time for a further sweep or something failed. */
async function sweepUntilDeadline(
  context: SweepContext,
  { everyMs, pollEveryMs }: RunOptions,
): Promise<void> {
  const { clock, leftMs, signal } = context;
  const startedAt = clock.now();
  for (;;) {
    const sweptAt = clock.now();
    const isLast = pollEveryMs === undefined || leftMs() <= pollEveryMs;
    await sweep(isLast ? Math.max(1000, startedAt + everyMs - sweptAt) : pollEveryMs, context);
    if (isLast || context.failures.length > 0) return;
    await clock.sleep(sweptAt + pollEveryMs - clock.now(), signal);
    if (signal.aborted) return;
  }
}

function throwIfFailed(failures: readonly unknown[]): void {
  const fatal = failures.find(isFatal);
  if (fatal !== undefined) throw fatal;
  if (failures.length > 0) {
    const [first] = failures;
    const message = first instanceof Error ? first.message : String(first);
    throw new AggregateError(
      failures,
      `${failures.length} feeds could not be committed; the first: ${message}`,
    );
  }
}
