import type { Attempt } from '../shared/attempt.ts';
import { SharedCall } from '../shared/shared-call.ts';
import { callOf, newProgress, type Sample } from './call.ts';
import { hasNoAnswer, type CheckOptions } from './sample-check.ts';

/**
 * Time after a 429 for which a common limit counts as known, until a request is answered: samples would take the next that it
 * allows. A little longer than the longest pause that the service does not ask for.
 */
export const KNOWN_MS = 65_000;

/**
 * Decides after a 429 whether the service limits all requests, or one list.
 *
 * It mostly limits all together, and they pause. One list that is limited alone would let all others starve. So
 * samples of other lists are sent, before any other request: the limit is a common one if one of them is answered with
 * 429. A single one may be answered by chance, under a limit that goes on refilling.
 */
export class LimitCheck {
  readonly #options: CheckOptions;
  readonly #check = new SharedCall<boolean>();
  /** When all requests were found to be limited, in milliseconds since 1970; undefined once one was answered. */
  #commonSince: number | undefined;

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /** Whether all requests are known to be limited, after a further 429. Then they are for some time more. */
  isKnownCommon(): boolean {
    const now = this.#options.clock.now();
    // The clock may have been set back since.
    const isKnown = Math.abs(now - (this.#commonSince ?? -Infinity)) < KNOWN_MS;
    if (isKnown) this.#commonSince = now;
    return isKnown;
  }

  /** Notes that a request was answered. */
  noteAnswer(): void {
    this.#commonSince = undefined;
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
    for (const sample of samples) {
      if ((await this.#statusOf(sample, startBefore, signal)) !== 429) continue;
      this.#commonSince = this.#options.clock.now();
      return true;
    }
    return false;
  }

  /** @returns undefined when the sample was not sent, or not answered in time. */
  async #statusOf(
    sample: Sample,
    startBefore: number | undefined,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { accessTokens, attemptTimeoutMs, exchange, limiter } = this.#options;
    const progress = newProgress();
    const send = async (attempt: Attempt): Promise<number> => {
      progress.token = await attempt.untimed(accessTokens.get(attempt.signal));
      return (await exchange(callOf(sample), progress, attempt)).status;
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
