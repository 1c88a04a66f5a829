import type { Attempt } from '../shared/attempt.ts';
import { SharedCall } from '../shared/shared-call.ts';
import { callOf, newProgress, type Call, type Progress, type Sample } from './call.ts';
import { hasNoAnswer, type CheckOptions } from './sample-check.ts';
import { TokenEvidence } from './token-evidence.ts';

/**
 * Decides after a 401 whether the access token has expired, and renews it then.
 *
 * An expired token is refused everywhere, and its lifetime may change at any time. So a request that it was accepted
 * for is sent again: if it is still accepted, the 401 concerns its own request alone. Otherwise a list that is always
 * answered with 401 would cost an exchange on each poll, and fail all others while the token endpoint fails.
 */
export class TokenCheck {
  readonly evidence = new TokenEvidence();
  readonly #options: CheckOptions;
  readonly #check = new SharedCall<void>();

  constructor(options: CheckOptions) {
    this.#options = options;
  }

  /**
   * Begins to check a token that was answered with 401, or renews it, before other requests start with it: one at a time
   * does then.
   */
  async begin(
    call: Call<unknown>,
    progress: Progress,
    attempt: Attempt,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { accessTokens, clock, limiter } = this.#options;
    const { token } = progress;
    if (this.evidence.isAcceptedSince(progress)) return;
    limiter.slowDown();
    if (progress.isRenewed) {
      this.evidence.refuse(token, clock.now());
      return;
    }
    if (this.evidence.isFreshlyRefused(token, clock.now())) return;
    const sample = this.evidence.sampleFor(token, call.path);
    if (sample === undefined) {
      // The attempt is aborted already if the body of the 401 never ended.
      await attempt.untimed(accessTokens.renew(token, signal));
      progress.isRenewed = true;
      return;
    }
    // It waits for its turn from now on, before requests that were not tried yet.
    progress.check = this.#check.join(
      (stop) => this.#send(sample, token, call.startBefore, stop),
      signal,
    );
    // It is awaited once the request has ended.
    progress.check.catch(() => undefined);
  }

  /** Ends what was begun. Sets whether the request may be sent again with a new token. */
  async end(progress: Progress, signal: AbortSignal | undefined): Promise<void> {
    const { check, token } = progress;
    if (check === undefined) return;
    progress.check = undefined;
    await check;
    if (this.evidence.isAcceptedSince(progress)) return;
    await this.#options.accessTokens.renew(token, signal);
    progress.isRenewed = true;
  }

  /** Sends a request that the token was accepted for, and renews the token unless it is accepted again. */
  async #send(
    sample: Sample,
    token: string,
    startBefore: number | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { accessTokens, attemptTimeoutMs, exchange, limiter } = this.#options;
    const call = callOf(sample);
    const progress = { ...newProgress(), token, isRenewed: true };
    const send = async (attempt: Attempt): Promise<void> => {
      progress.order = this.evidence.nextOrder();
      const { ok } = await exchange(call, progress, attempt);
      if (!ok) await attempt.untimed(accessTokens.renew(token, attempt.signal));
    };
    try {
      await limiter.run(send, { timeoutMs: attemptTimeoutMs, isRetry: true, startBefore, signal });
    } catch (error) {
      // Without an answer nobody knows: the token is renewed.
      if (signal.aborted || !hasNoAnswer(error)) throw error;
    }
  }
}
