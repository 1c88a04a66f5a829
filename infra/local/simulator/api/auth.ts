import { randomBytes, randomUUID } from 'node:crypto';
import { Hono, type MiddlewareHandler } from 'hono';
import { sign } from 'hono/jwt';
import * as z from 'zod';
import { ServiceError } from '../service-error.ts';
import { API_USER_ID } from '../world/checklists.ts';
import { readBody } from './requests.ts';

const ACCESS_TOKEN_SECONDS = 900;

/** Issues and checks both kinds of token (spec, "Authentication"). No message contains a token. */
export class Tokens {
  readonly #now: () => number;
  #refreshToken = newRefreshToken();
  /** Access tokens, with the time at which each expires, in milliseconds since 1970. */
  readonly #issued = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  get refreshToken(): string {
    return this.#refreshToken;
  }

  /** Issues an access token, a JWT. @throws ServiceError 401 for another refresh token. */
  async exchange(refreshToken: string): Promise<string> {
    if (refreshToken !== this.#refreshToken) {
      throw new ServiceError(401, 'the refresh token is not the current one');
    }
    const iat = this.#now() / 1000;
    const exp = iat + ACCESS_TOKEN_SECONDS;
    const claims = { sub: String(API_USER_ID), iat, exp, jti: randomUUID() };
    // No key is kept: the service knows its own tokens.
    const token = await sign(claims, randomBytes(32).toString('hex'), 'HS256');
    this.#issued.set(token, exp * 1000);
    return token;
  }

  /** @throws ServiceError 401 if the token is expired or was never issued by this service. */
  check(accessToken: string): void {
    const expiresAt = this.#issued.get(accessToken);
    if (expiresAt === undefined) throw new ServiceError(401, 'the access token is unknown');
    if (expiresAt <= this.#now()) throw new ServiceError(401, 'the access token has expired');
  }

  expireAccessTokens(): void {
    for (const token of this.#issued.keys()) this.#issued.set(token, 0);
  }

  /** Replaces the refresh token. Access tokens stay valid until they expire. */
  rotateRefreshToken(): string {
    this.#refreshToken = newRefreshToken();
    return this.#refreshToken;
  }
}

function newRefreshToken(): string {
  return `simulated-${randomBytes(24).toString('base64url')}`;
}

/** `POST {auth_url}/api_keys/jwt`: exchanges a refresh token (spec, "Operations"). */
export function authRoutes(tokens: Tokens): Hono {
  const routes = new Hono();
  routes.post('/api_keys/jwt', async (context) => {
    const { api_token } = await readBody(context, z.object({ api_token: z.string() }));
    return context.json({ access_token: await tokens.exchange(api_token) });
  });
  return routes;
}

/** Requires a valid access token (spec, "Authentication"). */
export function requireAccessToken(tokens: Tokens): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('authorization') ?? '';
    tokens.check(header.replace(/^Bearer +/i, ''));
    await next();
  };
}
