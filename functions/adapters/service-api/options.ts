import type { Clock } from '../../core/ports/clock.ts';

/** Source of access tokens (spec, "Authentication"). */
export interface AccessTokens {
  /** The access token to use now. Rejects with the signal's reason once it is aborted. */
  get(signal?: AbortSignal): Promise<string>;
  /** Replaces a token that has expired. */
  renew(rejected: string, signal?: AbortSignal): Promise<string>;
  /** The note for `resume` in another process, as JSON can hold it. */
  handOver?(): unknown;
  resume?(note: unknown): void;
}

/** Headers that differ between deployments of the service. */
export interface RequestHeaders {
  /** Name of the header with the version. Default: `Service-Version`. */
  readonly version?: string | undefined;
  /** Name of the header with the size of a page. Default: `Service-Per-Page`. */
  readonly perPage?: string | undefined;
  /** Further headers of each request. */
  readonly extra?: Readonly<Record<string, string>> | undefined;
}

export interface ServiceApiOptions {
  /** Address of the service, without `/api/v3`. */
  readonly baseUrl: string;
  readonly accessTokens: AccessTokens;
  readonly clock: Clock;
  /** Requests that may start in any 60 seconds, retries included. */
  readonly requestsPerMinute: number;
  /** Requests in flight; 8 by default. */
  readonly concurrency?: number;
  /** Time of one attempt, from its start to the end of the body; 10 000 by default. */
  readonly attemptTimeoutMs?: number;
  /** Attempts in all; 4 by default. A retry with a renewed token is not counted. */
  readonly tries?: number;
  /** Longest wait before the first retry, doubled with each up to 5 s; 500 by default. */
  readonly retryBaseMs?: number;
  /**
   * Longest wait before a retry that the service may request; 10 000 by default. A request that
   * should wait longer fails at once. A 429 instead pauses the whole client for up to an hour.
   */
  readonly maxWaitMs?: number;
  /** Maximum bytes of a body, uncompressed; 64 MB by default, which take 1 GB once parsed. */
  readonly maxBodyBytes?: number;
  /** `Service-Version`, `YYYY-MM-DD`; absent for the latest (spec, "Versioning"). */
  readonly serviceVersion?: string;
  readonly headers?: RequestHeaders | undefined;
  /** The global fetch by default: it keeps connections alive. */
  readonly fetch?: typeof fetch;
  /** Called for each request that is sent. */
  readonly onRequest?: () => void;
  /** Called once, for the first page that has fewer entities than asked for and more behind it. */
  readonly onSmallPage?: (page: { path: string; asked: number; got: number }) => void;
  /** Called for each 429, with the time in which no request starts. */
  readonly onRateLimited?: (event: { operation: string; pauseMs: number }) => void;
}
