import { RateLimitedError, ServiceError } from '../../core/model/errors.ts';
import { AttemptTimeoutError, type Attempt } from '../shared/attempt.ts';
import type { HttpAnswer } from '../shared/http-exchange.ts';
import type { Call, Progress } from './call.ts';
import type { ServiceApiOptions } from './options.ts';
import type { RequestLimiter } from './request-limiter.ts';

/** What a check of a refused request needs, to send samples. */
export interface CheckOptions extends Required<
  Pick<ServiceApiOptions, 'accessTokens' | 'attemptTimeoutMs' | 'clock'>
> {
  readonly limiter: RequestLimiter;
  /** Sends a request, and notes if it is accepted. */
  readonly exchange: (
    call: Call<unknown>,
    progress: Progress,
    attempt: Attempt,
  ) => Promise<HttpAnswer>;
}

/** Whether a sample was not sent, or not answered in time. */
export function hasNoAnswer(error: unknown): boolean {
  return [AttemptTimeoutError, RateLimitedError, ServiceError].some(
    (type) => error instanceof type,
  );
}
