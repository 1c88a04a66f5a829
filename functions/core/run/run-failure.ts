import {
  type FatalError,
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
  SitecastError,
} from '../model/errors.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { isFatal } from './handle-failure.ts';
import type { RunSummary, SummaryBuilder } from './run-summary.ts';

/** What is wrong with the refresh token, if that is the error. */
export function tokenProblem(error: unknown): RunSummary['token'] {
  if (error instanceof RefreshTokenMissingError) return 'missing';
  return error instanceof RefreshTokenRejectedError ? 'refused' : undefined;
}

/**
 * Sets the token of the summary if the run ended for want of one that an operator has to put. It is
 * no failure: only they can mend it, and the state has a metric of its own.
 */
export function reportToken(
  error: FatalError | undefined,
  summary: SummaryBuilder,
  telemetry: Telemetry,
): void {
  const token = tokenProblem(error);
  if (!error || !token) return;
  telemetry.count(token === 'missing' ? 'TokenMissing' : 'TokenRefused', 1);
  summary.token = token;
  if (token === 'missing') telemetry.warn(error.message, { hint: error.hint });
  else telemetry.error('The refresh token is refused', error);
}

/** @throws what the run fails with, if anything: for want of a token it does not fail. */
export function throwIfFailed(all: readonly unknown[]): void {
  const failures = all.filter((failure) => tokenProblem(failure) === undefined);
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
