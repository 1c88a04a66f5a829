import type { MiddlewareHandler } from 'hono';

/** Headers of every answer: the page loads nothing from elsewhere, and nobody embeds or reads it. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
    ...["img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/**
 * Refuses requests that a page of another site makes: by a host name that leads here (DNS rebinding), from
 * another origin, or by a form.
 *
 * @param port of this server, known once it listens.
 */
export function guard(port: () => number): MiddlewareHandler {
  return async (context, next) => {
    const refusal = refusalOf(context.req.raw, port());
    if (refusal === undefined) await next();
    else context.res = Response.json({ error: { message: refusal } }, { status: 403 });
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  };
}

function refusalOf({ method, headers }: Request, port: number): string | undefined {
  const host = headers.get('host') ?? '';
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!own.includes(host))
    return `Request refused: the host is "${host}"; allowed: ${own.join(', ')}`;
  const origin = headers.get('origin');
  if (origin !== null && origin !== `http://${host}`) {
    return `Request refused: the origin is "${origin}"; allowed: http://${host}`;
  }
  const site = headers.get('sec-fetch-site');
  if (method === 'GET' || method === 'HEAD') {
    return site === null || site === 'same-origin' || site === 'none'
      ? undefined
      : 'Request refused: another site has made it';
  }
  if (method !== 'POST') return `Request refused: the method is ${method}; allowed: GET, POST`;
  if (site !== 'same-origin') return 'Request refused: only the console itself makes changes';
  const type = headers.get('content-type') ?? '';
  return /^application\/json\b/i.test(type)
    ? undefined
    : `Request refused: the content type is "${type}"; allowed: application/json`;
}
