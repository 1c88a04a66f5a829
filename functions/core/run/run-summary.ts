import type { Action } from '../model/change.ts';
import type { Feed } from '../model/feed.ts';
import { isoTime } from '../model/timestamp.ts';
import type { Ports } from '../ports/ports.ts';
import type { Outage } from './handover.ts';

/** The counts of one run. */
export interface RunSummary {
  /** True when another run holds the lease: this one did nothing. */
  readonly leaseHeld: boolean;
  /** Set when the run ended because no refresh token was put yet, or it is refused. */
  readonly token?: 'missing' | 'refused';
  /** Feeds of the shard at the end of the run. */
  readonly feeds: number;
  /** Feeds that were polled, to the end of their list or not. */
  readonly polled: number;
  /** Failed polls. */
  readonly failing: number;
  /**
   * Lists that wait for a retry at the end of the run, besides the parked ones; all of them
   * while the whole service fails or allows no request.
   */
  readonly waiting: number;
  /** The earliest retry of a waiting list; ISO 8601. */
  readonly nextTry?: string;
  /** Set while the whole service fails; ISO 8601. */
  readonly outageSince?: string;
  /** Feeds that were parked in this run. */
  readonly parked: number;
  /** Lists that an operator has paused; absent for none. */
  readonly paused?: number;
  readonly pages: number;
  /** Entities on those pages. */
  readonly entities: number;
  /** Events that the topic accepted. */
  readonly events: Readonly<Record<Action, number>>;
  /** Quarantined entities and events. */
  readonly quarantined: number;
  /** True when the run stopped before it had polled everything that was due. */
  readonly stoppedEarly: boolean;
}

/** A {@link RunSummary} that is being counted. */
export type SummaryBuilder = {
  -readonly [Field in keyof RunSummary]: Field extends 'events'
    ? Record<Action, number>
    : RunSummary[Field];
};

export function emptySummary(): SummaryBuilder {
  return {
    leaseHeld: false,
    feeds: 0,
    polled: 0,
    failing: 0,
    waiting: 0,
    parked: 0,
    pages: 0,
    entities: 0,
    events: { created: 0, updated: 0, deleted: 0, restored: 0 },
    quarantined: 0,
    stoppedEarly: false,
  };
}

/** What a report is made of. */
interface ReportContext {
  readonly ports: Pick<Ports, 'api' | 'clock' | 'telemetry'>;
  readonly summary: SummaryBuilder;
  readonly breaker: { readonly outage: Outage | undefined };
}

/**
 * Tells which feeds wait or fail, so that a dead service never looks like an idle one.
 *
 * @param feeds those that are polled.
 */
export function reportFeeds(
  feeds: readonly Feed[],
  { ports, summary, breaker }: ReportContext,
  nextRunAt: number,
): void {
  const { telemetry, clock } = ports;
  const now = clock.now();
  // While the service allows no request, nothing is polled, which is not to look like nothing is due.
  const allowance = ports.api.allowance?.(0);
  const limitedUntil = summary.polled === 0 ? (allowance?.nextStartAt ?? 0) : 0;
  describeWaiting(summary, feeds, breaker.outage, { now, nextRunAt, limitedUntil });
  telemetry.count('FeedsWaiting', summary.waiting);
  telemetry.count('ServiceOutage', breaker.outage === undefined ? 0 : 1);
  telemetry.count('StoppedEarly', summary.stoppedEarly ? 1 : 0);
  telemetry.count('BudgetUsedPercent', Math.round(100 * (allowance?.usedShare ?? 0)));
  const health = healthOf(feeds, breaker.outage, now);
  telemetry.count('FeedsUnhealthy', health.unhealthyCount);
  telemetry.count('FeedsRefused', health.refusedCount);
  telemetry.count('FeedsInBaseline', health.baselineCount);
  telemetry.count('OldestFailureSeconds', Math.round(health.oldestFailureMs / 1000));
  if (summary.nextTry === undefined) return;
  telemetry.count('NextTrySeconds', Math.round((Date.parse(summary.nextTry) - now) / 1000));
}

/** Times in milliseconds since 1970. */
interface Times {
  readonly now: number;
  readonly nextRunAt: number;
  /** The rate limit allows no request before. */
  readonly limitedUntil: number;
}

/**
 * Sets the fields that tell what waits at the end of a run.
 *
 * @param feeds those that are configured.
 */
function describeWaiting(
  summary: SummaryBuilder,
  feeds: readonly Feed[],
  outage: Outage | undefined,
  { now, nextRunAt, limitedUntil }: Times,
): void {
  const active = feeds.filter(({ parked }) => parked === undefined);
  const doAllWait = outage !== undefined || limitedUntil > now;
  const waiting = doAllWait ? active : active.filter(({ notBefore }) => notBefore > now);
  summary.waiting = waiting.length;
  if (outage !== undefined) summary.outageSince = isoTime(outage.since);
  if (waiting.length === 0) return;
  const dueAt = waiting.reduce(
    (time, { notBefore }) => (notBefore > now ? Math.min(time, notBefore) : time),
    Infinity,
  );
  const earliest = doAllWait
    ? Math.max(Math.min(outage?.retryAt ?? 0, dueAt), limitedUntil)
    : dueAt;
  summary.nextTry = isoTime(Math.max(earliest, nextRunAt));
}

/** The state of all feeds at the end of a run. */
interface FeedHealth {
  /** Feeds that are not parked and whose last poll failed. */
  readonly unhealthyCount: number;
  readonly refusedCount: number;
  readonly baselineCount: number;
  /** Since the longest of these failures, or of an outage, began; 0 for none. */
  readonly oldestFailureMs: number;
}

/** @param feeds those that are configured. */
function healthOf(feeds: readonly Feed[], outage: Outage | undefined, now: number): FeedHealth {
  const unhealthy = feeds.filter(({ parked, failures }) => parked === undefined && failures > 0);
  // A feed that failed before this time was saved has none.
  const since = unhealthy.reduce((time, feed) => Math.min(time, feed.failingSince ?? now), now);
  return {
    unhealthyCount: unhealthy.length,
    refusedCount: feeds.filter(({ parked }) => parked === 'refused').length,
    baselineCount: feeds.filter(({ phase, parked }) => phase === 'baseline' && !parked).length,
    oldestFailureMs: now - Math.min(since, outage?.since ?? now),
  };
}
