import type { Entity, InvalidEntity } from '../model/entity.ts';
import type { Timestamp } from '../model/timestamp.ts';

/** A request for one page of a list (spec, "Pagination rules" and "Limits"). */
export interface PageRequest extends EntityRequest {
  /** `last_synced_at`; absent on the first request. */
  readonly lastSyncedAt?: string;
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
}

/** A request for one entity by its id (spec, "Operations"). */
export interface EntityRequest {
  /** Path below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  /** Additional query parameters of the list. */
  readonly query?: Readonly<Record<string, string>>;
}

/** One page of a list, validated. */
export interface Page {
  /** In the service's order. */
  readonly entities: readonly Entity[];
  readonly invalid: readonly InvalidEntity[];
  /** `X-Has-More`. */
  readonly hasMore: boolean;
  /** `X-Last-Synced-At` exactly as the service sent it; absent when the header was absent. */
  readonly lastSyncedAt?: string;
  /**
   * The list was read after this time of the service's clock, so the page includes everything
   * committed until then. Absent when the answer had no valid `Date`.
   */
  readonly readAfter?: Timestamp;
}

/** The service's answer for one entity. */
export type EntityAnswer =
  | { readonly verdict: 'found'; readonly entity: Entity }
  /** 404: there is none. */
  | { readonly verdict: 'missing' }
  /** 403: we may not know. */
  | { readonly verdict: 'forbidden' };

/** The lists of the Construction Project Service API v3, and their entities. */
export interface ServiceApi {
  /**
   * Reads one page; a 204 is an empty last one.
   *
   * Retries transient failures (408, 429, 5xx, network, malformed JSON or headers) within the rate
   * limit. Renews the access token once after a 401, a 403, a redirect or a body that is no page:
   * the token may have ended.
   *
   * @param signal aborts the request and its retries. The promise then rejects with the error of
   *   the last attempt that failed, or, when there was none, with the signal's reason.
   * @throws RateLimitedError when the rate limit lets no attempt start before the end of the run.
   *   If an attempt has failed before, with its error.
   * @throws ServiceError on an error status, or when no answer came, after all retries.
   * @throws PageTooSlowError, without a retry, when an attempt takes too long or is answered with
   *   504: a smaller page may be fast enough.
   * @throws ProtocolError when the body is not an array or a header breaks the spec.
   * @throws PageTooLargeError when the body exceeds its maximum.
   * @throws RefreshTokenMissingError when there is no refresh token yet, RefreshTokenRejectedError
   *   when it is refused, another FatalError when there is no access token for another reason.
   */
  fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page>;

  /**
   * Reads one entity. Retries like {@link fetchPage}.
   *
   * @throws as {@link fetchPage}, but 403 and 404 are answers. ProtocolError when the body is no
   *   entity.
   */
  fetchEntity(request: EntityRequest, signal?: AbortSignal): Promise<EntityAnswer>;

  /** The requests that the rate limit allows within a time from now. */
  allowance(withinMs: number): RateAllowance;

  /**
   * Begins a run: goes on from the note of another process, and starts no request later than
   * `until`, in milliseconds since 1970. A note that cannot be read is ignored.
   */
  beginRun(run: { readonly note: string | undefined; readonly until: number }): void;

  /** A note for the next run: the requests spent lately, and a refused token. */
  handOver(): string;
}

/** The requests that the rate limit still allows. */
export interface RateAllowance {
  /** Requests that may still start within the given time, besides the waiting ones. */
  readonly requests: number;
  /** Requests that may start each minute at the current rate. */
  readonly perMinute: number;
  /** Share of the highest rate that was spent in the last minute. */
  readonly usedShare: number;
  /** Set after a 429, until the rate is the highest again. Times are milliseconds since 1970. */
  readonly limited?: { readonly since: number; readonly until: number } | undefined;
}
