import type { LongCommand, Placed } from '../../model/command.ts';
import { FatalError, RateLimitedError } from '../../model/errors.ts';
import type { ReconcileReport } from '../../model/reconcile-report.ts';
import type { RunContext } from '../run-context.ts';
import { COMMAND_SHARE } from '../run-options.ts';
import { Reconciliation, type StepLimits } from './reconcile.ts';

/**
 * Goes on with the long commands of the shard, in the order in which they were placed, after the lists were polled.
 *
 * A failure ends the step of its command and nothing else: the next run goes on from the progress that was saved.
 * What was done since then is done again, and finds nothing.
 *
 * @param until in milliseconds since 1970; at least one step is made, whatever the time.
 * @throws FatalError when the run cannot continue.
 */
export async function workOnCommands(run: RunContext, until: number): Promise<void> {
  const { clock } = run.ports;
  // One list or two are polled to see whether the service works: commands wait until then.
  if (run.breaker.outage !== undefined) return;
  for (const placed of [...run.longCommands]) {
    if (run.stopping.signal.aborted) return;
    await stepOf(placed, run, limitsUntil(until, run));
    if (clock.now() >= until) return;
  }
}

/** Polling needs a request for each list; a share is left to commands even if it needs all of them. */
function limitsUntil(until: number, { ports, summary }: RunContext): StepLimits {
  const allowance = ports.api.allowance?.(Math.max(0, until - ports.clock.now()));
  if (allowance === undefined) return { until, requestCount: Infinity };
  const { requests, perMinute } = allowance;
  const share = Math.ceil(COMMAND_SHARE * perMinute);
  return { until, requestCount: Math.min(requests, Math.max(share, requests - summary.polled)) };
}

/** One step of a command. No failure but a fatal one leaves it. */
async function stepOf(
  placed: Placed<LongCommand>,
  run: RunContext,
  limits: StepLimits,
): Promise<void> {
  if (limits.requestCount <= 0) return;
  const work = new Reconciliation(placed, run);
  const isDone = await withoutFailure(placed, run, () => work.step(limits));
  const reached = { ...placed, progress: work.progress };
  run.longCommands.delete(placed);
  const isLeft = await withoutFailure(placed, run, async () => {
    if (!(await run.ports.store.saveProgress(reached))) return false;
    if (isDone) await finish(reached, work.report(), run);
    return !isDone;
  });
  if (isLeft) run.longCommands.add(reached);
}

/** @returns undefined when the work failed. */
async function withoutFailure<T>(
  { command }: Placed<LongCommand>,
  { ports, stopping }: RunContext,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FatalError) throw error;
    const { signal } = stopping;
    const isStopped = signal.aborted && error === signal.reason;
    if (error instanceof RateLimitedError || isStopped) return undefined;
    const fields = { id: command.id, command: command.name };
    ports.telemetry.error('A command could not go on; the next run tries again', error, fields);
    return undefined;
  }
}

/** The report is saved first: a command that is deleted without one would never have one. */
async function finish(
  placed: Placed<LongCommand>,
  report: ReconcileReport,
  { ports }: RunContext,
): Promise<void> {
  await ports.store.saveReport(report);
  await ports.store.deleteCommands([placed]);
  const { partition, counts, commandId: id } = report;
  ports.telemetry.info('A reconciliation is done', { id, partition, ...counts });
}
