import type { FatalError } from '../../core/model/errors.ts';
import { unlessAborted } from '../shared/timeout.ts';
import { missingError, refusedError } from './refresh-token-errors.ts';
import { TokenEndpoint, type IssuedToken, type TokenEndpointOptions } from './token-endpoint.ts';
import { TokenRefusals } from './token-refusals.ts';

/** Where the refresh token is kept. */
export interface RefreshTokenSecret {
  /** Names the secret for the operator. */
  readonly name: string;
  /**
   * The refresh token; empty when the secret holds none. It may come from a cache unless `fresh`.
   *
   * @throws FatalError when the secret cannot be read.
   */
  read(options: { readonly fresh: boolean }): Promise<string>;
}

export interface AccessTokenOptions extends TokenEndpointOptions {
  readonly secret: RefreshTokenSecret;
  /** Called for each answer that replaces the refresh token. Nothing keeps the new one. */
  readonly onReplaced?: () => void;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

/** A token is renewed so long before its end, or after half of its lifetime if that is later. */
const RENEWED_BEFORE_MS = 60_000;

interface AccessToken {
  readonly text: string;
  /** In milliseconds since 1970; Infinity if the token names no end. */
  readonly renewAt: number;
}

/**
 * Exchanges the refresh token for access tokens (spec, "Authentication").
 *
 * - One exchange at a time: all callers wait for it.
 * - A token is kept until shortly before the end that it names, or until the service rejects it.
 * - A refresh token that was refused is not sent again at once, see {@link TokenRefusals}.
 *
 * Errors of an exchange are fatal to the run, since no feed can be read without a token. They hold
 * neither tokens nor the body of the answer, which may repeat one.
 */
export class AccessTokenSource {
  readonly #secret: RefreshTokenSecret;
  readonly #endpoint: TokenEndpoint;
  readonly #onReplaced: () => void;
  readonly #now: () => number;
  readonly #refusals: TokenRefusals;
  #token: AccessToken | undefined;
  #exchange: Promise<string> | undefined;

  constructor({
    secret,
    onReplaced = () => undefined,
    now = Date.now,
    ...endpoint
  }: AccessTokenOptions) {
    this.#secret = secret;
    this.#endpoint = new TokenEndpoint(endpoint);
    this.#onReplaced = onReplaced;
    this.#now = now;
    this.#refusals = new TokenRefusals(now);
  }

  /**
   * The access token, from the cache or by an exchange.
   *
   * @param signal ends the wait with its reason; the exchange goes on.
   * @throws RefreshTokenMissingError when the secret holds none, and RefreshTokenRejectedError when
   *   it is refused (4xx other than 408 and 429), also after a fresh read of the secret.
   * @throws FatalError when the token endpoint or the secret cannot be used.
   */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    const { text = '', renewAt = 0 } = this.#token ?? {};
    const isUsable = this.#exchange === undefined && this.#now() < renewAt;
    return isUsable ? text : this.#obtain(signal);
  }

  /**
   * Replaces an access token that may have ended. Requests that had the same token rejected share
   * one exchange. The token is kept while an exchange fails, unless the refresh token is refused:
   * it may still be accepted.
   */
  async renew(rejected: string, signal?: AbortSignal): Promise<string> {
    return this.#token?.text === rejected ? this.#obtain(signal) : this.get(signal);
  }

  /** A refresh token that was refused, for {@link resume} in another process. */
  handOver(): unknown {
    return this.#refusals.handOver();
  }

  resume(note: unknown): void {
    this.#refusals.resume(note);
  }

  #obtain(signal: AbortSignal | undefined): Promise<string> {
    this.#exchange ??= this.#exchangeToken().finally(() => {
      this.#exchange = undefined;
    });
    return unlessAborted(this.#exchange, signal);
  }

  /** Tries the cached refresh token, then the latest of the secret: it may have been rotated. */
  async #exchangeToken(): Promise<string> {
    let refusedWith: number | undefined;
    let refreshToken = '';
    for (const fresh of [false, true]) {
      refreshToken = await this.#secret.read({ fresh });
      if (refreshToken === '' || this.#refusals.mustWait(refreshToken)) continue;
      const answer = await this.#endpoint.exchange(refreshToken);
      if ('token' in answer) return this.#accept(answer, refreshToken);
      this.#refusals.add(refreshToken);
      ({ refusedWith } = answer);
    }
    this.#token = undefined;
    throw this.#failure(refreshToken, refusedWith);
  }

  #accept({ token: text, isReplaced, lifetimeMs }: IssuedToken, refreshToken: string): string {
    this.#refusals.accept(refreshToken, isReplaced);
    if (isReplaced) this.#onReplaced();
    const usedMs = Math.max(lifetimeMs - RENEWED_BEFORE_MS, lifetimeMs / 2);
    this.#token = { text, renewAt: this.#now() + usedMs };
    return text;
  }

  /** @param status of the refusal; absent when nothing was sent. */
  #failure(refreshToken: string, status: number | undefined): FatalError {
    const { name: secret } = this.#secret;
    if (refreshToken === '') return missingError(secret);
    return refusedError({
      ...{ secret, refreshToken, status, url: this.#endpoint.url },
      retryAt: this.#refusals.retryAt(refreshToken),
      isReplaced: this.#refusals.isReplaced(refreshToken),
    });
  }
}
