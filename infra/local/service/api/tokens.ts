import { randomBytes, randomUUID } from 'node:crypto';
import { sign, verify } from 'hono/jwt';
import type { ServiceBehaviour } from '../behaviour.ts';
import { API_USER_ID } from '../world/world.ts';

const ALGORITHM = 'HS256';

/** What {@link Tokens} depends on. */
export interface TokensOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly behaviour: Pick<ServiceBehaviour, 'accessTokenSeconds'>;
}

/** Both kinds of token (spec, "Authentication"). Never puts one into a message. */
export class Tokens {
  readonly #now: () => number;
  readonly #behaviour: TokensOptions['behaviour'];
  readonly #key = randomBytes(32).toString('hex');
  #refreshToken = newRefreshToken();
  #revoked = false;
  /** Access tokens of an earlier generation are no longer good. */
  #generation = 1;

  constructor(options: TokensOptions) {
    this.#now = options.now;
    this.#behaviour = options.behaviour;
  }

  /** The refresh token that is good now, or was last. */
  get refreshToken(): string {
    return this.#refreshToken;
  }

  /** True when this is the refresh token and it is not revoked. */
  isRefreshToken(token: string): boolean {
    return !this.#revoked && token === this.#refreshToken;
  }

  /** A new access token, a JWT. */
  issueAccessToken(): Promise<string> {
    const now = this.#now() / 1000;
    return sign(
      {
        sub: String(API_USER_ID),
        iat: now,
        exp: now + this.#behaviour.accessTokenSeconds,
        jti: randomUUID(),
        generation: this.#generation,
      },
      this.#key,
      ALGORITHM,
    );
  }

  /** Whether an access token is `good`, `expired`, or was never issued by this service. */
  async stateOf(accessToken: string): Promise<'good' | 'expired' | 'unknown'> {
    try {
      const { exp, generation } = await verify(accessToken, this.#key, {
        alg: ALGORITHM,
        // The simulation has its own clock, which the library does not know.
        exp: false,
        iat: false,
        nbf: false,
      });
      const isOver = exp === undefined || exp * 1000 <= this.#now();
      return isOver || generation !== this.#generation ? 'expired' : 'good';
    } catch {
      return 'unknown';
    }
  }

  /** Every access token issued so far expires now. */
  expireAccessTokens(): void {
    this.#generation += 1;
  }

  /** The old refresh token is refused from now on. Access tokens stay good until they expire. */
  rotateRefreshToken(): string {
    this.#refreshToken = newRefreshToken();
    this.#revoked = false;
    return this.#refreshToken;
  }

  /** There is no good refresh token until the next rotation. */
  revokeRefreshToken(): void {
    this.#revoked = true;
  }
}

function newRefreshToken(): string {
  return `simulated-${randomBytes(24).toString('base64url')}`;
}
