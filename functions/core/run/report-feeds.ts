import { isWaiting } from '../feeds/health.ts';
import type { Feed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import type { Ports } from '../ports/ports.ts';
import type { SummaryBuilder } from './run-summary.ts';
import type { ServiceHealth } from './service-health.ts';

/** What a report is made of. */
interface ReportContext {
  readonly ports: Pick<Ports, 'api' | 'clock' | 'telemetry'>;
  readonly summary: SummaryBuilder;
  readonly health: ServiceHealth;
}

/**
 * Reports the health of all lists, so that a dead service never looks like an idle one.
 *
 * @param feeds those that are polled.
 */
export function reportFeeds(
  feeds: readonly Feed[],
  { ports, summary, health }: ReportContext,
): void {
  const { telemetry, clock, api } = ports;
  const now = clock.now();
  const outage = health.outage(now);
  const waiting = feeds.filter(isWaiting);
  summary.waiting = waiting.length;
  if (outage !== undefined) summary.outageSince = isoTime(outage.since);
  const { nextStartAt = 0, usedShare = 0 } = api.allowance?.(0) ?? {};
  if (summary.polled === 0 && nextStartAt > now) summary.limitedUntil = isoTime(nextStartAt);
  const failingSince = waiting.reduce(earlierStart, outage?.since ?? now);
  telemetry.count('FeedsWaiting', waiting.length);
  telemetry.count('FeedsInBaseline', feeds.filter(isInBaseline).length);
  telemetry.count('OldestFailureSeconds', Math.round((now - failingSince) / 1000));
  telemetry.count('ServiceOutage', outage === undefined ? 0 : 1);
  telemetry.count('StoppedEarly', summary.stoppedEarly ? 1 : 0);
  telemetry.count('BudgetUsedPercent', Math.round(100 * usedShare));
}

function earlierStart(time: number, { wait }: Feed): number {
  return Math.min(time, wait?.since ?? time);
}

function isInBaseline({ phase, parked }: Feed): boolean {
  return phase === 'baseline' && parked === undefined;
}

/** Logs the begin and the end of an outage, once each. */
export function reportOutage({ ports, health }: ReportContext): void {
  const { outageBefore: before } = health;
  const { telemetry, clock } = ports;
  const outage = health.outage(clock.now());
  if (outage !== undefined && before === undefined) {
    const since = isoTime(outage.since);
    telemetry.error('The service fails: no list could be read', health.lastFailure, { since });
  }
  if (outage === undefined && before !== undefined) {
    telemetry.info('The service works again', { since: isoTime(before.since) });
  }
}
