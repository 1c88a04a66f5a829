import { isWaiting } from '../feeds/health.ts';
import {
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
  SitecastError,
} from '../model/errors.ts';
import { isoTime } from '../model/timestamp.ts';
import type { Outage } from '../schedule/note.ts';
import { isFatal } from './handle-failure.ts';
import type { RunContext } from './run-context.ts';
import type { RunSummary } from './run-summary.ts';

/** Reports the health of all lists, so that a dead service never looks like an idle one. */
export function reportLists(run: RunContext): void {
  const { ports, registry, summary, health } = run;
  const { telemetry, clock, api } = ports;
  const now = clock.now();
  const outage = health.outage(now);
  const feeds = registry.polled();
  const waiting = feeds.filter(isWaiting);
  const pausedCount = registry.all().filter((feed) => registry.isPaused(feed)).length;
  summary.feeds = feeds.length;
  summary.waiting = waiting.length;
  if (pausedCount > 0) summary.paused = pausedCount;
  if (outage !== undefined) summary.outageSince = isoTime(outage.since);
  const failingSince = waiting.reduce(
    (time, { wait }) => Math.min(time, wait?.since ?? time),
    outage?.since ?? now,
  );
  telemetry.count('FeedsWaiting', waiting.length);
  telemetry.count('OldestFailureSeconds', Math.round((now - failingSince) / 1000));
  telemetry.count('ServiceOutage', outage === undefined ? 0 : 1);
  telemetry.count('StoppedEarly', summary.stoppedEarly ? 1 : 0);
  telemetry.count('BudgetUsedPercent', Math.round(100 * api.allowance(0).usedShare));
  reportOutage(outage, run);
}

/** Logs the begin and the end of an outage, once each. */
function reportOutage(outage: Outage | undefined, { ports, health }: RunContext): void {
  const { telemetry } = ports;
  const { outageBefore: before } = health;
  if (outage !== undefined && before === undefined) {
    const since = isoTime(outage.since);
    telemetry.error('The service fails: no list could be read', health.lastFailure, { since });
  }
  if (outage === undefined && before !== undefined) {
    telemetry.info('The service works again', { since: isoTime(before.since) });
  }
}

/**
 * Reports waits, and a missing or refused refresh token. Only an operator can put a token, so the
 * run does not fail: metrics of its own report it.
 */
export function reportToken(
  failures: readonly unknown[],
  { ports, scheduler, summary }: RunContext,
): void {
  const { telemetry } = ports;
  const fatal = failures.find(isFatal);
  if (fatal === undefined) scheduler.reportWaits();
  const token = tokenProblem(fatal);
  if (fatal === undefined || token === undefined) return;
  summary.token = token;
  telemetry.count(token === 'missing' ? 'TokenMissing' : 'TokenRefused', 1);
  if (token === 'missing') telemetry.warn(fatal.message, { hint: fatal.hint });
  else telemetry.error('The refresh token is refused', fatal);
}

/** The problem of the refresh token, if the error is one. */
function tokenProblem(error: unknown): RunSummary['token'] {
  if (error instanceof RefreshTokenMissingError) return 'missing';
  return error instanceof RefreshTokenRejectedError ? 'refused' : undefined;
}

/** @throws the failures of the run, without those of the refresh token. */
export function throwIfFailed(all: readonly unknown[]): void {
  const failures = all.filter((failure) => tokenProblem(failure) === undefined);
  const fatal = failures.find(isFatal);
  if (fatal !== undefined) throw fatal;
  if (failures.length === 0) return;
  const [first] = failures;
  const message = first instanceof Error ? first.message : String(first);
  const text = `${failures.length} pages or jobs failed; the first: ${message}`;
  const error = new AggregateError(failures, text);
  throw first instanceof SitecastError ? Object.assign(error, { hint: first.hint }) : error;
}
