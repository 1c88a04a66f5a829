import { randomBytes, randomUUID } from 'node:crypto';
import { sign } from 'hono/jwt';
import type { ServiceBehaviour } from '../behaviour.ts';
import { API_USER_ID } from '../world/world.ts';

interface TokensOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly behaviour: Pick<ServiceBehaviour, 'accessTokenSeconds'>;
}

/** Issues and checks both kinds of token (spec, "Authentication"). No message contains a token. */
export class Tokens {
  readonly #options: TokensOptions;
  #refreshToken = newRefreshToken();
  #revoked = false;
  /** Access tokens, with the second since 1970 at which each expires. */
  readonly #issued = new Map<string, number>();

  constructor(options: TokensOptions) {
    this.#options = options;
  }

  /** The current refresh token, or the last one. */
  get refreshToken(): string {
    return this.#refreshToken;
  }

  /** Whether this is the refresh token and it is not revoked. */
  isRefreshToken(token: string): boolean {
    return !this.#revoked && token === this.#refreshToken;
  }

  /** Issues an access token, a JWT. */
  async issueAccessToken(): Promise<string> {
    const now = this.#options.now() / 1000;
    const expiresAt = now + this.#options.behaviour.accessTokenSeconds;
    const claims = { sub: String(API_USER_ID), iat: now, exp: expiresAt, jti: randomUUID() };
    // No key is kept: the service knows what it has issued.
    const token = await sign(claims, randomBytes(32).toString('hex'), 'HS256');
    this.#issued.set(token, expiresAt);
    return token;
  }

  /** Whether an access token is `valid`, `expired`, or was never issued by this service. */
  stateOf(accessToken: string): 'valid' | 'expired' | 'unknown' {
    const expiresAt = this.#issued.get(accessToken);
    if (expiresAt === undefined) return 'unknown';
    return expiresAt * 1000 <= this.#options.now() ? 'expired' : 'valid';
  }

  /** Expires every access token issued so far. */
  expireAccessTokens(): void {
    for (const token of this.#issued.keys()) this.#issued.set(token, 0);
  }

  /** Replaces the refresh token. Access tokens stay valid until they expire. */
  rotateRefreshToken(): string {
    this.#refreshToken = newRefreshToken();
    this.#revoked = false;
    return this.#refreshToken;
  }

  /** Revokes the refresh token until the next rotation. */
  revokeRefreshToken(): void {
    this.#revoked = true;
  }
}

function newRefreshToken(): string {
  return `simulated-${randomBytes(24).toString('base64url')}`;
}
