import type { Clock } from '../../core/ports/clock.ts';
import type { AccessTokens } from './options.ts';

/** A renewed token that is refused sooner is kept: the next would be no better. */
const MIN_AGE_MS = 10_000;

/**
 * Renews the access token after an answer that may mean that it has ended.
 *
 * A list may be refused alone, with any token. Renewing it at each poll of that list would cost an
 * exchange, and end the run while the token endpoint fails.
 */
export class TokenRenewal {
  readonly #accessTokens: AccessTokens;
  readonly #clock: Pick<Clock, 'now'>;
  /** Paths that were refused since they were read. */
  readonly #refused = new Set<string>();
  /** The token with which anything was read since the last refusal that was new. */
  #accepted: string | undefined;
  /** The outcome of the last renewal. */
  #renewed: { readonly token: string; readonly at: number } | undefined;

  constructor(accessTokens: AccessTokens, clock: Pick<Clock, 'now'>) {
    this.#accessTokens = accessTokens;
    this.#clock = clock;
  }

  noteRead(path: string, token: string): void {
    this.#refused.delete(path);
    this.#accepted = token;
  }

  /**
   * Renews a token that was refused for a path, once for all requests that it was sent with. Not if
   * it has just been renewed, nor if others are read with it while the path is refused again.
   *
   * @returns whether there is another token.
   */
  async renew(path: string, token: string, signal: AbortSignal | undefined): Promise<boolean> {
    const isRefusedAlone = this.#refused.has(path) && this.#accepted === token;
    if (isRefusedAlone) return false;
    this.#refused.add(path);
    this.#accepted = undefined;
    if (this.#isYoung(token)) return false;
    const next = await this.#accessTokens.renew(token, signal);
    if (next !== this.#renewed?.token) this.#renewed = { token: next, at: this.#clock.now() };
    return next !== token;
  }

  #isYoung(token: string): boolean {
    const { token: renewed, at = 0 } = this.#renewed ?? {};
    // The clock may have been set back.
    return token === renewed && Math.abs(this.#clock.now() - at) < MIN_AGE_MS;
  }
}
