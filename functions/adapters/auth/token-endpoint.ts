import type { JsonObject } from '../../core/model/entity.ts';
import { FatalError } from '../../core/model/errors.ts';
import { describeFields } from '../shared/describe-body.ts';
import {
  exchange,
  hintForNoAnswer,
  isTransientStatus,
  NoAnswerError,
  saidBy,
  type HttpAnswer,
} from '../shared/http-exchange.ts';
import { quoteAnswer } from '../shared/quote-answer.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { retry } from '../shared/retry.ts';
import { TimeoutError, withTimeout } from '../shared/timeout.ts';

export interface TokenEndpointOptions {
  /** Address of the token endpoint, without `/api_keys/jwt`. */
  readonly authUrl: string;
  /** Time of one attempt, to the end of the body; 10 000 by default. */
  readonly attemptTimeoutMs?: number;
  /** Attempts of one exchange; 4 by default. */
  readonly tries?: number;
  /** Longest wait before the first retry, doubled with each up to 5 s; 500 by default. */
  readonly retryBaseMs?: number;
  /** Longest wait that the token endpoint may request; 60 000 by default. */
  readonly maxWaitMs?: number;
  /** The global fetch by default. */
  readonly fetch?: typeof fetch;
  /** Called for each request to the token endpoint. */
  readonly onExchange?: () => void;
}

/** An access token that was issued. */
export interface IssuedToken {
  readonly token: string;
  /** The time for which it is accepted; Infinity if neither the answer nor the token names it. */
  readonly lifetimeMs: number;
  /** Whether a new refresh token came with it. The spec knows none. The old one may be void. */
  readonly isReplaced: boolean;
}

/** Characters of a header's value; a JWT has no others. */
const VALID_TOKEN = /^[\x21-\x7e]+$/;

/** The token endpoint answered with neither a token nor a refusal. */
class StatusError extends Error {
  readonly status: number;
  /** Wait that the endpoint requests. */
  readonly retryAfterMs: number;

  constructor(answer: HttpAnswer) {
    const location = quoteAnswer(saidBy(answer.status, answer.headers.get('location'), ''));
    super(`was answered with ${answer.status}${location && `: ${location}`}`);
    this.status = answer.status;
    this.retryAfterMs = readRetryAfter(answer, Date.now()) ?? 0;
  }
}

/**
 * The address where a refresh token is exchanged for an access token (spec, "Authentication").
 *
 * Its errors hold neither tokens nor the body of the answer, which may repeat one.
 */
export class TokenEndpoint {
  readonly url: string;
  readonly #options;

  constructor(options: TokenEndpointOptions) {
    this.#options = {
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 60_000,
      fetch: globalThis.fetch,
      ...options,
    };
    this.url = `${options.authUrl.replace(/\/+$/, '')}/api_keys/jwt`;
  }

  /**
   * Exchanges a refresh token. The body is read within the attempt, its time and its retry.
   *
   * @returns the token, or the status of the refusal.
   * @throws FatalError when there is no answer, or one that is neither a token nor a refusal.
   */
  async exchange(refreshToken: string): Promise<IssuedToken | { readonly refusedWith: number }> {
    const answer = await this.#postUntilAnswered(refreshToken);
    return answer.ok ? readTokens(answer, refreshToken, this.url) : { refusedWith: answer.status };
  }

  async #postUntilAnswered(refreshToken: string): Promise<HttpAnswer> {
    const { attemptTimeoutMs, tries, retryBaseMs, maxWaitMs } = this.#options;
    const attempt = () =>
      withTimeout(attemptTimeoutMs, (signal) => this.#post(refreshToken, signal));
    try {
      return await retry(attempt, {
        maxTries: tries,
        baseDelayMs: retryBaseMs,
        maxDelayMs: 5_000,
        isRetryable,
        retryAfterMs: (error) => (error instanceof StatusError ? error.retryAfterMs : 0),
        maxRetryAfterMs: maxWaitMs,
      });
    } catch (error) {
      const code = error instanceof NoAnswerError ? error.code : undefined;
      throw new FatalError(`POST ${this.url} ${describeFailure(error, code)}`, {
        hint: hintForNoAnswer(code, 'authUrl'),
      });
    }
  }

  async #post(refreshToken: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { fetch, onExchange } = this.#options;
    onExchange?.();
    const answer = await exchange(fetch, this.url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ api_token: refreshToken }),
      signal,
    });
    if (answer.ok || isRefusal(answer.status)) return answer;
    throw new StatusError(answer);
  }
}

function isRetryable(error: unknown): boolean {
  if (error instanceof StatusError) return isTransientStatus(error.status);
  return error instanceof NoAnswerError || error instanceof TimeoutError;
}

/** The spec does not show with which status a refresh token is refused: it may be any of 4xx. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !isTransientStatus(status);
}

/** Leaves out the network's message, which may quote the refresh token. */
function describeFailure(error: unknown, code: string | undefined): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof TimeoutError) return 'got no answer in time';
  return `got no answer${code === undefined ? '' : ` (${code})`}`;
}

function readTokens(answer: HttpAnswer, sent: string, url: string): IssuedToken {
  const body = parseJson(answer.text);
  const fields = (typeof body === 'object' ? body : null) as JsonObject | null;
  const { access_token: token, refresh_token: next } = fields ?? {};
  if (typeof token === 'string' && VALID_TOKEN.test(token)) {
    const isReplaced = typeof next === 'string' && next !== sent;
    return { token, lifetimeMs: lifetimeOf(token, fields?.['expires_in'], answer), isReplaced };
  }
  const got = body === undefined ? 'no JSON' : describeFields(body);
  throw new FatalError(
    `POST ${url} was answered with ${answer.status} but without a valid access_token, ` +
      `a text without spaces; got ${got}`,
    { hint: 'Check that authUrl is the address of the token endpoint.' },
  );
}

/**
 * The time for which an access token is accepted: `expires_in` of the answer in seconds, or the
 * claim `exp` of a JWT, by the clock of the endpoint.
 */
function lifetimeOf(token: string, expiresIn: unknown, { headers }: HttpAnswer): number {
  const seconds = Number(expiresIn ?? NaN);
  if (seconds > 0) return seconds * 1000;
  const [, claims = ''] = token.split('.');
  const { exp } = (parseJson(Buffer.from(claims, 'base64url').toString()) ?? {}) as JsonObject;
  const date = Date.parse(headers.get('date') ?? '');
  const lifetimeMs = Number(exp ?? NaN) * 1000 - (Number.isNaN(date) ? Date.now() : date);
  return lifetimeMs > 0 ? lifetimeMs : Infinity;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
