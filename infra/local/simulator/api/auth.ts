import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { ApiError, readJson } from './api-error.ts';
import type { Tokens } from './tokens.ts';

const exchange = z.object({ api_token: z.string() });

/** `POST {auth_url}/api_keys/jwt`: exchanges a refresh token (spec, "Operations"). */
export function authRoutes(tokens: Tokens): Hono {
  const routes = new Hono();
  routes.post('/api_keys/jwt', async (context) => {
    // The body is not quoted, because it may contain a token.
    const body = exchange.safeParse(await readJson(context));
    if (!body.success) throw new ApiError(422, 'invalid', 'api_token must be a string');
    if (!tokens.isRefreshToken(body.data.api_token)) {
      throw new ApiError(401, 'bad_refresh_token', 'the refresh token is unknown or was revoked');
    }
    return context.json({ access_token: await tokens.issueAccessToken() });
  });
  return routes;
}

/** Requires a valid access token (spec, "Authentication"). */
export function requireAccessToken(tokens: Tokens): MiddlewareHandler {
  return async (context, next) => {
    const header = context.req.header('authorization') ?? '';
    const token = /^Bearer +(\S+)$/i.exec(header)?.[1];
    if (token === undefined) {
      throw new ApiError(401, 'no_access_token', 'authorization must be: Bearer <ACCESS_TOKEN>');
    }
    const state = tokens.stateOf(token);
    if (state === 'expired') {
      throw new ApiError(401, 'access_token_expired', 'the access token has expired');
    }
    if (state === 'unknown') {
      throw new ApiError(401, 'bad_access_token', 'the access token is not one of this service');
    }
    await next();
  };
}
