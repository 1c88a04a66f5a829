import { NO_PROGRESS } from '../../model/command.ts';
import { FatalError, RateLimitedError } from '../../model/errors.ts';
import type { RunContext } from '../run-context.ts';
import { commandRequests } from '../run-options.ts';
import { Reconciliation, type ReconcileCommand, type StepLimits } from './reconcile.ts';
import type { Step, StepResult } from './step.ts';

/**
 * Goes on with a reconciliation, in the time and with the requests that polling leaves. While the whole service fails,
 * it waits. What was healed since the last saved progress is compared again, and found as it is.
 */
export const reconcileStep: Step<ReconcileCommand> = async (placed, { run, until }) => {
  const before: StepResult = { progress: placed.progress ?? NO_PROGRESS, isDone: false };
  if (run.health.outage(run.ports.clock.now()) || run.isAllPaused) return before;
  const limits = limitsUntil(until, run);
  if (limits.requestCount <= 0) return before;
  const { store } = run.ports;
  const work = new Reconciliation(placed, run);
  try {
    const isDone = await work.step(limits);
    if (isDone) await store.saveReport(work.report());
    return { progress: work.progress, isDone };
  } catch (error) {
    const { signal } = run.stopping;
    const isStopped = signal.aborted && error === signal.reason;
    const left: StepResult = { progress: work.progress, isDone: false };
    if (error instanceof RateLimitedError || isStopped) return left;
    if (error instanceof FatalError || !(error instanceof Error)) throw error;
    return { ...left, failure: error };
  }
};

/** Polling needs a request for each list; a share is left to commands even if it needs all of them. */
function limitsUntil(until: number, { ports, summary }: RunContext): StepLimits {
  const allowance = ports.api.allowance?.(Math.max(0, until - ports.clock.now()));
  if (allowance === undefined) return { until, requestCount: Infinity };
  const { requests, perMinute } = allowance;
  const share = commandRequests(perMinute);
  return { until, requestCount: Math.min(requests, Math.max(share, requests - summary.polled)) };
}
