/** What every error of Sitecast carries besides its message. */
export interface ErrorDetails {
  /** What the operator can do about it, in one sentence. */
  readonly hint: string;
  /** The error underneath, if any. */
  readonly cause?: unknown;
}

/**
 * Root of the error tree. Each error says in its `hint` what the operator can do.
 *
 * - {@link FeedError}: one feed fails, the others go on. The feed backs off.
 *   - {@link ServiceError}: the service answered with an error, or not at all.
 *   - {@link FeedRefusedError}: the service answered 403 or 404; the feed is parked.
 *   - {@link ProtocolError}: the answer breaks the pagination contract.
 * - {@link FatalError}: the run can do nothing more and stops.
 *   - {@link RefreshTokenRejectedError}: no access token is to be had.
 *   - {@link LeaseLostError}: another run owns the shard.
 *   - {@link SettingsInvalidError}: the environment or the config is unusable.
 *   - {@link TableFormatError}: the table was written by a newer version.
 * - {@link PublishFailedError}, {@link ClaimCheckFailedError}, {@link FeedConflictError}: a page could not be
 *   committed; it is read again.
 * - {@link PageTooLargeError}: never leaves a walk.
 */
export class SitecastError extends Error {
  override readonly name: string = 'SitecastError';
  readonly hint: string;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.hint = details.hint;
  }
}

/** One feed cannot be read now. Its cursor stays, it backs off, other feeds go on. */
export class FeedError extends SitecastError {
  override readonly name: string = 'FeedError';
}

/** The service answered with an error status after all retries, or could not be reached. */
export class ServiceError extends FeedError {
  override readonly name = 'ServiceError';
  /** HTTP status of the last answer; absent when there was none. */
  readonly status: number | undefined;

  constructor(message: string, details: ErrorDetails & { readonly status?: number }) {
    super(message, details);
    this.status = details.status;
  }
}

/** The service answered 403 or 404: we may not, or no longer, read this list. */
export class FeedRefusedError extends FeedError {
  override readonly name = 'FeedRefusedError';
  readonly status: number;

  constructor(message: string, details: ErrorDetails & { readonly status: number }) {
    super(message, details);
    this.status = details.status;
  }
}

/** The answer breaks what the spec says under "Pagination rules", after all retries. */
export class ProtocolError extends FeedError {
  override readonly name = 'ProtocolError';
}

/** The body of a page is larger than its room. The walk asks for fewer entities. */
export class PageTooLargeError extends SitecastError {
  override readonly name = 'PageTooLargeError';

  constructor(bytes: number) {
    super(`A page of ${bytes} bytes or more is too large for the memory`, {
      hint: 'It is asked for in smaller pages by itself; raise memoryMb if that takes too long.',
    });
  }
}

/** Nothing more can be done in this run. */
export class FatalError extends SitecastError {
  override readonly name: string = 'FatalError';
}

/** The token endpoint refused the refresh token, or the secret holds none. */
export class RefreshTokenRejectedError extends FatalError {
  override readonly name = 'RefreshTokenRejectedError';
}

/** The lease on the shard ended or went to another run. */
export class LeaseLostError extends FatalError {
  override readonly name = 'LeaseLostError';
}

/** A setting is missing or malformed; the message names field, value and what is allowed. */
export class SettingsInvalidError extends FatalError {
  override readonly name = 'SettingsInvalidError';
}

/** The state table was written by a newer version of Sitecast. */
export class TableFormatError extends FatalError {
  override readonly name = 'TableFormatError';
}

/** The topic did not accept some events after all retries. The page must not be committed. */
export class PublishFailedError extends SitecastError {
  override readonly name = 'PublishFailedError';
}

/** The whole of an event that is too large for the topic was not kept, so nothing of it may be published. */
export class ClaimCheckFailedError extends SitecastError {
  override readonly name = 'ClaimCheckFailedError';
}

/** Another run committed this feed in the meantime. What this run holds of it is stale. */
export class FeedConflictError extends SitecastError {
  override readonly name = 'FeedConflictError';
}
