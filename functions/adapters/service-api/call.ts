import type { FeedError } from '../../core/model/errors.ts';
import type { BodyReservation } from '../../core/ports/service-api.ts';
import type { Answer } from './parse-page.ts';

/** One read of the service. */
export interface Call<T> {
  /** Below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Entities per page. */
  readonly perPage?: number | undefined;
  /** The refusal of a list is a FeedRefusedError. */
  readonly isList: boolean;
  /** See {@link PageRequest.startBefore}. */
  readonly startBefore?: number | undefined;
  /** See {@link PageRequest.wasLimited}. */
  readonly wasLimited?: boolean | undefined;
  /** See {@link PageRequest.samples}. */
  readonly samples?: (() => readonly Sample[]) | undefined;
  /** Memory for the body of a good answer; {@link FIXED_RESERVATION} by default. */
  readonly reservation?: BodyReservation | undefined;
  /** Only the status counts, and little of the body is read. */
  readonly isSample?: boolean;
  /** Makes the result of the answer, or throws ProtocolError. */
  readonly read: (answer: Answer) => T;
}

/** A request whose answer shows what another one may expect. */
export type Sample = Pick<Call<unknown>, 'path' | 'query' | 'isList'>;

/** A call that sends a sample. The smallest page is enough. */
export function callOf(sample: Sample): Call<undefined> {
  const page = sample.isList && { perPage: 1 };
  return { ...sample, ...page, isSample: true, read: () => undefined };
}

/** State of a call across its attempts. */
export interface Progress {
  /** Of the call. */
  readonly signal: AbortSignal | undefined;
  attemptCount: number;
  /** Token of the last attempt. */
  token: string;
  /** Place of the last attempt among all requests, in the order in which they were sent. */
  order: number;
  isRenewed: boolean;
  /** Finds out whether the token of a 401 has expired. */
  check: Promise<void> | undefined;
  /** Wait that the service requests of this call; undefined for none. */
  retryAfterMs: number | undefined;
  /** Finds out whether all requests are limited, since the last attempt was answered with 429. */
  limitCheck: Promise<boolean> | undefined;
  /** Whether an attempt was answered with 429 since all requests are limited. */
  isLimited: boolean;
  /** Whether the last attempt was answered with 429, and others are not. */
  hasOwnLimit: boolean;
  /** Error of the last attempt in which the feed itself failed. */
  failure: FeedError | undefined;
}

/** Of a call that was not sent yet. */
export function newProgress(signal?: AbortSignal): Progress {
  return {
    signal,
    attemptCount: 0,
    token: '',
    order: 0,
    isRenewed: false,
    check: undefined,
    retryAfterMs: undefined,
    limitCheck: undefined,
    isLimited: false,
    hasOwnLimit: false,
    failure: undefined,
  };
}

/** Whether the next request of the call repeats one. */
export function isRetry({ attemptCount, isRenewed }: Progress): boolean {
  return attemptCount > 1 || isRenewed;
}

/** Method and path of a call, for messages. Leaves out a query in the path. */
export function nameOf({ path }: Pick<Call<unknown>, 'path'>): string {
  return `GET ${path.split('?', 1)[0] ?? ''}`;
}

/** The headers that all calls share, and the name of the one with the size of a page. */
export interface CommonHeaders {
  readonly common: Readonly<Record<string, string>>;
  readonly perPage: string;
}

/** The request of a call, without its address. */
export function initOf(
  { perPage }: Call<unknown>,
  token: string,
  headers: CommonHeaders,
): RequestInit {
  return {
    headers: {
      ...headers.common,
      ...(perPage !== undefined && { [headers.perPage]: String(perPage) }),
      authorization: `Bearer ${token}`,
    },
  };
}

/** Path and query of a call. */
export function pathOf({ path, query }: Pick<Call<unknown>, 'path' | 'query'>): string {
  // URLSearchParams encodes the + of an offset, which would otherwise arrive as a space.
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}
