import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { countOf } from '../../../count-of.ts';
import type { RunOutcome } from '../protocol.ts';

/** @param result a run's summary, or why it failed. */
export function outcomeOf(result: RunSummary | string): RunOutcome {
  if (typeof result === 'string') return 'failed';
  if (result.leaseHeld) return 'lease held';
  const hasFailures =
    result.waiting > 0 || result.outageSince !== undefined || result.token !== undefined;
  return hasFailures ? 'with failures' : 'completed';
}

/** Tells the outcome of a run in words. */
export function describeRun(result: RunSummary | string): string {
  if (typeof result === 'string') return result;
  const { leaseHeld, polled, feeds, entities, waiting, parked, quarantined } = result;
  if (leaseHeld) return 'another run holds the lease';
  const counts = Object.entries({ waiting, parked, quarantined });
  return [
    `${countOf(eventCountOf(result), 'event')} from ${countOf(entities, 'entity', 'entities')}`,
    feeds === 0 ? 'no list to poll' : `${polled} of ${feeds} lists`,
    ...counts.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`),
    ...(result.token === undefined ? [] : [`the refresh token is ${result.token}`]),
    ...(result.outageSince === undefined ? [] : ['no list could be read']),
  ].join(', ');
}

/** Events that the topic accepted. */
export function eventCountOf({ events }: RunSummary): number {
  return Object.values(events).reduce((sum, count) => sum + count, 0);
}
