import type { Attempt } from '../shared/attempt.ts';
import type { HttpAnswer } from '../shared/http-exchange.ts';
import { SharedCall } from '../shared/shared-call.ts';
import { callOf, newProgress, type Call, type Progress, type Sample } from './call.ts';
import type { ServiceApiOptions } from './options.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { hasNoAnswer } from './token-check.ts';

type Options = Required<Pick<ServiceApiOptions, 'accessTokens' | 'attemptTimeoutMs'>> & {
  readonly limiter: RequestLimiter;
  readonly exchange: (
    call: Call<unknown>,
    progress: Progress,
    attempt: Attempt,
  ) => Promise<HttpAnswer>;
};

/**
 * Decides after a 429 whether the service limits all requests, or one list.
 *
 * It mostly limits all together, and they pause. One list that is limited alone would let all others starve. So
 * samples of other lists are sent, before any other request: the limit is a common one only if none is answered, and one
 * is answered with 429. If nothing tells, the next 429 may.
 */
export class LimitCheck {
  readonly #options: Options;
  readonly #check = new SharedCall<boolean>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether all requests are limited. Calls that are answered with 429 at the same time share the samples. */
  isCommon(
    samples: readonly Sample[],
    startBefore: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    return this.#check.join((stop) => this.#sendInTurn(samples, startBefore, stop), signal);
  }

  async #sendInTurn(
    samples: readonly Sample[],
    startBefore: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    let isCommon = false;
    for (const sample of samples) {
      const call = { ...callOf(sample), isFollowed: sample !== samples.at(-1) };
      const status = await this.#statusOf(call, startBefore, signal);
      if (status === 429) isCommon = true;
      else if (status !== undefined && status < 500) return false;
    }
    return isCommon;
  }

  /** @returns undefined when the call was not sent, or not answered in time. */
  async #statusOf(
    call: Call<unknown>,
    startBefore: number | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { accessTokens, attemptTimeoutMs, exchange, limiter } = this.#options;
    const progress = newProgress();
    const send = async (attempt: Attempt): Promise<number> => {
      progress.token = await attempt.untimed(accessTokens.get(attempt.signal));
      return (await exchange(call, progress, attempt)).status;
    };
    try {
      const timing = { timeoutMs: attemptTimeoutMs, isRetry: true, startBefore, signal };
      return await limiter.run(send, timing);
    } catch (error) {
      if (signal.aborted || !hasNoAnswer(error)) throw error;
      return undefined;
    }
  }
}
