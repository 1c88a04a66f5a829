import { randomBytes, randomUUID } from 'node:crypto';
import { sign, verify } from 'hono/jwt';
import type { ServiceBehaviour } from '../behaviour.ts';
import { API_USER_ID } from '../world/world.ts';

const ALGORITHM = 'HS256';

interface TokensOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly behaviour: Pick<ServiceBehaviour, 'accessTokenSeconds'>;
}

/** Issues and checks both kinds of token (spec, "Authentication"). No message contains a token. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #key = randomBytes(32).toString('hex');
  #refreshToken = newRefreshToken();
  #revoked = false;
  /** Access tokens of an earlier generation have expired. */
  #generation = 1;

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
  issueAccessToken(): Promise<string> {
    const now = this.#options.now() / 1000;
    return sign(
      {
        sub: String(API_USER_ID),
        iat: now,
        exp: now + this.#options.behaviour.accessTokenSeconds,
        jti: randomUUID(),
        generation: this.#generation,
      },
      this.#key,
      ALGORITHM,
    );
  }

  /** Whether an access token is `valid`, `expired`, or was never issued by this service. */
  async stateOf(accessToken: string): Promise<'valid' | 'expired' | 'unknown'> {
    try {
      const { exp, generation } = await verify(accessToken, this.#key, {
        alg: ALGORITHM,
        // Checked below, against the simulation's clock.
        exp: false,
        iat: false,
        nbf: false,
      });
      const isOver = exp === undefined || exp * 1000 <= this.#options.now();
      return isOver || generation !== this.#generation ? 'expired' : 'valid';
    } catch {
      return 'unknown';
    }
  }

  /** Expires every access token issued so far. */
  expireAccessTokens(): void {
    this.#generation += 1;
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
