import {
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
  SitecastError,
} from '../model/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { isFatal } from './poll-lists.ts';
import type { SummaryBuilder } from './run-summary.ts';

/**
 * Sets the token of the summary if the run ended for want of one that an operator has to put. It is no failure: only
 * they can mend it, and the state has a metric of its own.
 */
export function reportToken(
  failures: readonly unknown[],
  summary: SummaryBuilder,
  telemetry: Telemetry,
): void {
  const error = failures.find(isFatal);
  const isMissing = error instanceof RefreshTokenMissingError;
  const isRefused = error instanceof RefreshTokenRejectedError;
  if (isMissing) telemetry.count('TokenMissing', 1);
  if (isRefused) telemetry.count('TokenRefused', 1);
  if (!isMissing && !(isRefused && error.isKnown)) return;
  summary.token = isMissing ? 'missing' : 'refused';
  if (isMissing) telemetry.warn(error.message, { hint: error.hint });
  else telemetry.error('The refresh token is still refused', error);
}

/** @throws what the run fails with, if anything. */
export function throwIfFailed(failures: readonly unknown[]): void {
  const fatal = failures.find(isFatal);
  if (fatal !== undefined) throw fatal;
  if (failures.length > 0) {
    const [first] = failures;
    const message = first instanceof Error ? first.message : String(first);
    const text = `${failures.length} feeds could not be committed; the first: ${message}`;
    const error = new AggregateError(failures, text);
    throw first instanceof SitecastError ? Object.assign(error, { hint: first.hint }) : error;
  }
}
