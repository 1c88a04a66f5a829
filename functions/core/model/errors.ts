import type { Timestamp } from './timestamp.ts';

/** The details of an error for the operator. */
export interface ErrorDetails {
  /** One imperative sentence for the operator: “Raise memoryMb.” */
  readonly hint: string;
  readonly cause?: unknown;
}

/**
 * Root of the error tree.
 *
 * - {@link FeedError}: one feed fails and waits; the others continue.
 * - {@link RateLimitedError}: no further request may start now; no feed has failed.
 * - {@link FatalError}: the run stops.
 * - {@link PublishFailedError}, {@link FeedConflictError}: a page was not committed and is read
 *   again.
 */
export class SitecastError extends Error {
  override readonly name: string = 'SitecastError';
  readonly hint: string;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.hint = details.hint;
  }
}

/** One feed cannot be read now. Its cursor stays, it waits, and the other feeds continue. */
export class FeedError extends SitecastError {
  override readonly name: string = 'FeedError';
}

interface ServiceErrorDetails extends ErrorDetails {
  readonly status?: number;
  readonly retryAfterMs?: number;
}

/** The service answered with an error status, after all retries, or could not be reached. */
export class ServiceError extends FeedError {
  override readonly name: string = 'ServiceError';
  /** HTTP status of the last answer; absent when there was none. */
  readonly status: number | undefined;
  /** Wait that the service requested (`Retry-After`), in milliseconds; 0 for none. */
  readonly retryAfterMs: number;

  constructor(message: string, details: ServiceErrorDetails) {
    super(message, details);
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs ?? 0;
  }
}

/** A page took longer than an attempt may, or longer than a gateway waits (504). */
export class PageTooSlowError extends ServiceError {
  override readonly name = 'PageTooSlowError';
  /**
   * Set by the list reader: the size of the page, and the timestamp at which only a page larger
   * than the usual one advances.
   */
  page?: { readonly perPage: number; readonly tie: Timestamp | undefined };
}

/** The rate limit did not let a request start in time. Its list does not wait for that. */
export class RateLimitedError extends SitecastError {
  override readonly name = 'RateLimitedError';
}

/** The answer breaks the spec's "Pagination rules", after all retries. */
export class ProtocolError extends FeedError {
  override readonly name = 'ProtocolError';
}

/** A body exceeds its maximum. The list reader asks for a smaller page first. */
export class PageTooLargeError extends FeedError {
  override readonly name = 'PageTooLargeError';
}

/** The run cannot continue. */
export class FatalError extends SitecastError {
  override readonly name: string = 'FatalError';
}

/** The secret holds no refresh token yet. */
export class RefreshTokenMissingError extends FatalError {
  override readonly name = 'RefreshTokenMissingError';
}

/** The token endpoint refused the refresh token. */
export class RefreshTokenRejectedError extends FatalError {
  override readonly name = 'RefreshTokenRejectedError';
}

/** The state table was written by another version of Sitecast, in another format. */
export class TableFormatError extends FatalError {
  override readonly name = 'TableFormatError';
}

/** The topic did not accept some events after all retries, so the page must not be committed. */
export class PublishFailedError extends SitecastError {
  override readonly name = 'PublishFailedError';
  /** Events that the topic accepted before. */
  readonly acceptedCount: number;

  constructor(message: string, details: ErrorDetails & { readonly acceptedCount?: number }) {
    super(message, details);
    this.acceptedCount = details.acceptedCount ?? 0;
  }
}

/** An operator, the list of projects or another run has written the feed since it was loaded. */
export class FeedConflictError extends SitecastError {
  override readonly name = 'FeedConflictError';
}
