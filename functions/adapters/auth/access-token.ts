import {
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
  type FatalError,
} from '../../core/model/errors.ts';
import { isoTime } from '../../core/model/timestamp.ts';
import { SharedCall } from '../shared/shared-call.ts';
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
  read(options: { readonly fresh: boolean; readonly signal: AbortSignal }): Promise<string>;
}

export interface AccessTokenOptions extends TokenEndpointOptions {
  readonly secret: RefreshTokenSecret;
  /** Called for each answer that refuses the refresh token. */
  readonly onRefusal?: () => void;
  /** Called for each answer that replaces the refresh token. Nothing keeps the new one. */
  readonly onReplaced?: () => void;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

/** A token is renewed so long before its end, or after half of its lifetime if that is later. */
const RENEWED_BEFORE_MS = 60_000;

/** An access token. */
interface AccessToken {
  readonly text: string;
  /** A minute before the end that it names, in milliseconds since 1970; Infinity if it names none. */
  readonly renewAt: number;
}

/**
 * Exchanges the refresh token for access tokens (spec, "Authentication"), one exchange at a time.
 * Keeps a token until shortly before its end, or until the service rejects it.
 *
 * Errors of an exchange are fatal to the run, since no feed can be read without a token. They hold
 * neither tokens nor the body of the answer, which may repeat one.
 */
export class AccessTokenSource {
  readonly #secret: RefreshTokenSecret;
  readonly #endpoint: TokenEndpoint;
  readonly #onRefusal: () => void;
  readonly #onReplaced: () => void;
  readonly #now: () => number;
  readonly #refusals: TokenRefusals;
  #token: AccessToken | undefined;
  readonly #exchange = new SharedCall<string>();

  constructor({
    secret,
    onRefusal = () => undefined,
    onReplaced = () => undefined,
    now = Date.now,
    ...endpoint
  }: AccessTokenOptions) {
    this.#secret = secret;
    this.#endpoint = new TokenEndpoint(endpoint);
    this.#onRefusal = onRefusal;
    this.#onReplaced = onReplaced;
    this.#now = now;
    this.#refusals = new TokenRefusals(now);
  }

  /**
   * The access token, from the cache or by an exchange.
   *
   * @param signal ends the wait with its reason; the exchange ends with its last waiting caller.
   * @throws RefreshTokenMissingError when the secret holds none, and RefreshTokenRejectedError when
   *   it is refused (4xx other than 408 and 429), also after a fresh read of the secret.
   * @throws FatalError when the token endpoint or the secret cannot be used.
   */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    // While a new one is on its way, the one in hand may have expired.
    if (this.#exchange.isUnderWay || this.#token === undefined) return this.#join(signal);
    return this.#now() < this.#token.renewAt ? this.#token.text : this.#join(signal);
  }

  /**
   * Replaces an access token that may have ended. Requests that had the same token rejected share
   * one exchange. The token is kept while an exchange fails, unless the refresh token is refused:
   * it may still be accepted.
   */
  async renew(rejected: string, signal?: AbortSignal): Promise<string> {
    return this.#token?.text === rejected ? this.#join(signal) : this.get(signal);
  }

  /** What another process must know: a refresh token that was refused. */
  handOver(): string | undefined {
    return this.#refusals.encode();
  }

  resume(note: string): void {
    this.#refusals.resume(note);
  }

  #join(signal: AbortSignal | undefined): Promise<string> {
    return this.#exchange.join((stop) => this.#obtain(stop), signal);
  }

  /** Tries the cached refresh token, then the latest of the secret: it may have been rotated. */
  async #obtain(signal: AbortSignal): Promise<string> {
    let refused: number | undefined;
    let refreshToken = '';
    for (const fresh of [false, true]) {
      refreshToken = await this.#secret.read({ fresh, signal });
      if (refreshToken === '' || this.#mustWait(refreshToken)) continue;
      const answer = await this.#endpoint.exchange(refreshToken, signal);
      if ('token' in answer) {
        this.#refusals.accept(refreshToken, answer.isReplaced);
        if (answer.isReplaced) this.#onReplaced();
        this.#token = this.#tokenOf(answer);
        return answer.token;
      }
      this.#refusals.add(refreshToken);
      this.#onRefusal();
      refused = answer.refusedWith;
    }
    this.#token = undefined;
    throw this.#failure(refreshToken, refused);
  }

  #tokenOf({ token: text, lifetimeMs = Infinity }: IssuedToken): AccessToken {
    const usedMs = Math.max(lifetimeMs - RENEWED_BEFORE_MS, lifetimeMs / 2);
    return { text, renewAt: this.#now() + usedMs };
  }

  #mustWait(refreshToken: string): boolean {
    return (this.#refusals.retryAt(refreshToken) ?? 0) > this.#now();
  }

  /** @param refused status of the answer; absent when nothing was sent. */
  #failure(refreshToken: string, refused: number | undefined): FatalError {
    const { name } = this.#secret;
    const isReplaced = this.#refusals.isReplaced(refreshToken);
    const advice = isReplaced
      ? 'Ask the provider for a refresh token that stays valid: Sitecast keeps no new one. '
      : '';
    const hint = advice + hintFor(refused, name);
    if (refreshToken === '') {
      return new RefreshTokenMissingError(`The secret "${name}" holds no refresh token yet`, {
        hint,
      });
    }
    const retryAt = isoTime(this.#refusals.retryAt(refreshToken) ?? 0);
    const reason =
      refused === undefined
        ? `was refused, and is sent again after ${retryAt}, or when it changes`
        : `was refused: POST ${this.#endpoint.url} was answered with ${refused}`;
    const flaw = isReplaced ? 'was replaced by a new refresh token' : flawOf(refreshToken);
    const clause = flaw === undefined ? '' : `, which ${flaw},`;
    return new RefreshTokenRejectedError(
      `The refresh token in the secret "${name}"${clause} ${reason}`,
      { hint },
    );
  }
}

/** Values that are no tokens: stored as key and value, or copied with too much around. */
const FLAWS: readonly (readonly [RegExp, string])[] = [
  [/^[{[]/, 'is JSON instead of the token alone'],
  [/^(["'`]).*\1$/s, 'has quotes around it'],
  [/[^\x21-\x7e]/, 'holds white space or a character that no token has'],
];

function flawOf(refreshToken: string): string | undefined {
  return FLAWS.find(([pattern]) => pattern.test(refreshToken))?.[1];
}

/** @param status of the refusal; absent when nothing was sent. */
function hintFor(status: number | undefined, secretName: string): string {
  return (
    adviceOnAddress(status) +
    'Get a refresh token (API key) from the account page, write it to a file and run: ' +
    `aws secretsmanager put-secret-value --secret-id '${secretName}' --secret-string file://<file>`
  );
}

function adviceOnAddress(status: number | undefined): string {
  if (status === undefined || status === 401 || status === 403) return '';
  return 'Check that authUrl is the address of the token endpoint. If it is, the token is wrong. ';
}
