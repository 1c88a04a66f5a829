import { type Entity, type InvalidEntity } from '../model/entity.ts';
import { type Timestamp } from '../model/timestamp.ts';

/** Asks for one page of a list (spec, "Pagination rules" and "Limits"). */
export interface PageRequest {
  /** Path of the list below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  /** Further query parameters of the list. */
  readonly query?: Readonly<Record<string, string>>;
  /** `last_synced_at`; absent on the first request. */
  readonly lastSyncedAt?: string;
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
  /**
   * Room for the answer's body: asked for when the headers are there, before the body is read. Absent:
   * it is read at once.
   */
  readonly reservation?: BodyReservation;
}

/** One page of a list, checked at the door. */
export interface Page {
  /** What can be worked with, in the service's order. */
  readonly entities: readonly Entity[];
  /** What cannot, for the quarantine. */
  readonly invalid: readonly InvalidEntity[];
  /** `X-Has-More`. */
  readonly hasMore: boolean;
  /** `X-Last-Synced-At` exactly as the service gave it; absent when the header was. */
  readonly lastSyncedAt?: string;
  /**
   * A time by the service's own clock before which the list was not read: what was committed by then
   * is on this page, if it belongs there. Absent when the service did not tell the time (`Date`).
   */
  readonly readAfter?: Timestamp;
}

/** The lists of the Construction Project Service API v3. */
export interface ServiceApi {
  /**
   * Reads one page. Retries what may pass (408, 429, 5xx, network, time-outs, broken JSON, broken
   * headers) within the request budget; renews the access token on 401.
   *
   * @param signal aborts the request and its retries. The promise then rejects with the error of the
   *   last attempt that failed by more than a rate limit (429) or a 401, or, when there was none,
   *   with the signal's reason.
   * @throws FeedRefusedError on 403 and 404.
   * @throws ServiceError on any other error status, or when no answer came, after all retries.
   * @throws ProtocolError when the body is not an array or `X-Has-More` is not a boolean.
   * @throws PageTooLargeError when the body is larger than the request's room.
   * @throws RefreshTokenRejectedError when the refresh token is refused or missing; another FatalError
   *   when no access token is to be had for another reason.
   */
  fetchPage(request: PageRequest, signal?: AbortSignal): Promise<Page>;

  /**
   * What may still be spent of the request budget. Absent: there is no limit.
   *
   * @param withinMs from now, in milliseconds.
   */
  allowance?(withinMs: number): RateAllowance;
}

/** What a request budget allows. */
export interface RateAllowance {
  /** Requests that may still begin in the time asked for, besides those that wait already. */
  readonly requests: number;
  /** Requests that may begin each minute, as long as nothing changes. */
  readonly perMinute: number;
}

/** What the headers of a page tell before its body is read. */
export interface PageHeaders {
  /** `Content-Length`, if that is the body as it will be in memory. */
  readonly bytes?: number;
  /** `X-Count`. */
  readonly entities?: number;
  /** `X-Has-More`. */
  readonly hasMore?: boolean;
  /** `X-Last-Synced-At`, as the service gave it. */
  readonly lastSyncedAt?: string;
}

/** Room in memory for the body of one page. Whoever gave it with the request takes it back. */
export interface BodyReservation {
  /**
   * Waits until there is room. What is small has it at once. Counts as the service's time for nobody:
   * it is our own memory that is waited for.
   *
   * @throws PageTooLargeError when there never will be.
   * @throws the signal's reason.
   */
  acquire(head: PageHeaders, signal: AbortSignal): Promise<void>;
  /**
   * Tells how many bytes of the body have been read by now.
   *
   * @throws PageTooLargeError when no more of it may be read.
   */
  onBytesRead(bytes: number): void;
  /** Tells how large the body was; 0 when an attempt has failed. */
  resize(bytes: number): void;
}
