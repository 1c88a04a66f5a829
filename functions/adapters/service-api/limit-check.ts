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
 * samples of other lists are sent, before any other request: if one is answered, the limit is not a common one.
 */
export class LimitCheck {
  readonly #options: Options;
  readonly #check = new SharedCall<boolean>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether one of the samples is answered. Calls that are answered with 429 at the same time share them. */
  isAnswered(
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
    for (const sample of samples) {
      const call = { ...callOf(sample), isFollowed: sample !== samples.at(-1) };
      if (await this.#send(call, startBefore, signal)) return true;
    }
    return false;
  }

  async #send(
    call: Call<unknown>,
    startBefore: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { accessTokens, attemptTimeoutMs, exchange, limiter } = this.#options;
    const progress = newProgress();
    const send = async (attempt: Attempt): Promise<boolean> => {
      progress.token = await attempt.untimed(accessTokens.get(attempt.signal));
      const { status } = await exchange(call, progress, attempt);
      return status !== 429 && status < 500;
    };
    try {
      const timing = { timeoutMs: attemptTimeoutMs, isRetry: true, startBefore, signal };
      return await limiter.run(send, timing);
    } catch (error) {
      if (signal.aborted || !hasNoAnswer(error)) throw error;
      return false;
    }
  }
}
