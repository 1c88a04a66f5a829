import { type Clock } from '../../core/ports/clock.ts';

/** Where access tokens come from (spec, "Authentication"). */
export interface AccessTokens {
  /** The access token to use now. Rejects with the signal's reason once it is aborted. */
  get(signal?: AbortSignal): Promise<string>;
  /** Another token in place of one the service answered with 401. */
  renew(rejected: string, signal?: AbortSignal): Promise<string>;
}

/** Tells that the service said 429 and that the client pauses. */
export interface RateLimited {
  /** The call: `GET /projects`. */
  readonly what: string;
  /** How long no request starts, in milliseconds. */
  readonly pauseMs: number;
}

/** How the client reaches the service. Everything but address, tokens and budget has a default. */
export interface ServiceApiOptions {
  /** Address of the service, without `/api/v3`. */
  readonly baseUrl: string;
  readonly accessTokens: AccessTokens;
  /** Requests that may start in any 60 seconds, retries included. */
  readonly requestsPerMinute: number;
  /** Requests under way at once; 8 by default. */
  readonly concurrency?: number;
  /**
   * Milliseconds for one attempt, from its start to the end of the body; 10 000 by default. Where the
   * body has to wait for room, as many again from then on.
   */
  readonly attemptTimeoutMs?: number;
  /** Attempts in all; 4 by default. A retry with a renewed token is not counted. */
  readonly tries?: number;
  /** Longest wait before the first retry in milliseconds, doubled with each; 500 by default. */
  readonly retryBaseMs?: number;
  /**
   * Longest wait before a retry that the service may ask of one request, in milliseconds; 10 000 by
   * default. A request of which more is asked fails at once. A 429 is not meant: it makes the whole
   * client pause for the time asked, up to an hour.
   */
  readonly maxWaitMs?: number;
  /** `Service-Version`, `YYYY-MM-DD`; absent for the latest (spec, "Versioning"). */
  readonly serviceVersion?: string;
  /** Called for each 429. */
  readonly onRateLimited?: (event: RateLimited) => void;
  /** The global fetch by default: it keeps connections alive. */
  readonly fetch?: typeof fetch;
  /** Time for pauses and for what the service says of them. */
  readonly clock: Clock;
}
