import { FatalError, RateLimitedError } from '../../model/errors.ts';
import type { RunContext } from '../run-context.ts';
import { COMMAND_REQUEST_SHARE } from '../run-options.ts';
import { Reconciliation, type StepLimits } from './reconcile.ts';
import type { Step } from './step.ts';

/**
 * Goes on with a reconciliation, in the time and with the requests that polling leaves. While the whole service fails,
 * it waits. What was healed since the last saved progress is compared again, and found as it is.
 */
export const reconcileStep: Step = async (placed, { run, until }) => {
  if (run.breaker.outage !== undefined) return placed;
  const limits = limitsUntil(until, run);
  if (limits.requestCount <= 0) return placed;
  const { store } = run.ports;
  const work = new Reconciliation(placed, run);
  const reached = () => ({ ...placed, progress: work.progress });
  try {
    if (!(await work.step(limits))) return reached();
  } catch (error) {
    const { signal } = run.stopping;
    const isStopped = signal.aborted && error === signal.reason;
    if (error instanceof RateLimitedError || isStopped) return reached();
    if (!(error instanceof FatalError)) await store.saveProgress(reached());
    throw error;
  }
  await store.saveReport(work.report());
  return undefined;
};

/** Polling needs a request for each list; a share is left to commands even if it needs all of them. */
function limitsUntil(until: number, { ports, summary }: RunContext): StepLimits {
  const allowance = ports.api.allowance?.(Math.max(0, until - ports.clock.now()));
  if (allowance === undefined) return { until, requestCount: Infinity };
  const { requests, perMinute } = allowance;
  const share = Math.ceil(COMMAND_REQUEST_SHARE * perMinute);
  return { until, requestCount: Math.min(requests, Math.max(share, requests - summary.polled)) };
}
