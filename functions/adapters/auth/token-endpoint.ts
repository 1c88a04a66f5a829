import type { JsonObject } from '../../core/model/entity.ts';
import { FatalError } from '../../core/model/errors.ts';
import { Attempt, AttemptTimeoutError } from '../shared/attempt.ts';
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

export interface TokenEndpointOptions {
  /** Address of the token endpoint, without `/api_keys/jwt`. */
  readonly authUrl: string;
  /** Time of one attempt, to the end of the body; 10 000 by default. */
  readonly attemptTimeoutMs?: number;
  /** Attempts of one exchange; 4 by default. */
  readonly tries?: number;
  /** Longest wait before the first retry, doubled with each; 500 by default. */
  readonly retryBaseMs?: number;
  /** Longest wait that the token endpoint may request; 60 000 by default. */
  readonly maxWaitMs?: number;
  /** The global fetch by default. */
  readonly fetch?: typeof fetch;
  /** Called for each request to the token endpoint. */
  readonly onExchange?: () => void;
  /** Called when the token endpoint limits requests (429); the exchange pauses. */
  readonly onRateLimited?: (event: {
    readonly operation: string;
    readonly pauseMs: number;
  }) => void;
}

/** An access token that was issued. */
export interface IssuedToken {
  readonly token: string;
  /** The time for which it is accepted; absent if neither the answer nor the token names it. */
  readonly lifetimeMs?: number;
  /** Whether a new refresh token came with it. The spec knows none. The old one may be void. */
  readonly isReplaced: boolean;
}

/** An access token, or the status with which the refresh token was refused. */
export type TokenAnswer = IssuedToken | { readonly refusedWith: number };

/** Longest wait between two tries unless the endpoint requests more. */
const MAX_DELAY_MS = 5_000;

/** Characters of a header's value; a JWT has no others. */
const VALID_TOKEN = /^[\x21-\x7e]+$/;

/** The token endpoint answered with neither a token nor a refusal. */
class StatusError extends Error {
  readonly status: number;
  /** Wait that the endpoint requests. */
  readonly retryAfterMs: number;

  constructor(answer: HttpAnswer) {
    const location = saidBy(answer.status, answer.headers.get('location'), '');
    const end = location === '' ? '' : `: ${quoteAnswer(location)}`;
    super(`was answered with ${answer.status}${end}`);
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
  readonly #options: Required<TokenEndpointOptions>;

  constructor(options: TokenEndpointOptions) {
    this.#options = {
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 60_000,
      fetch: globalThis.fetch,
      onExchange: () => undefined,
      onRateLimited: () => undefined,
      ...options,
    };
    this.url = `${options.authUrl.replace(/\/+$/, '')}/api_keys/jwt`;
  }

  /**
   * Exchanges a refresh token. The body is read within the attempt, its time and its retry.
   *
   * @throws FatalError when there is no answer, or one that is neither a token nor a refusal.
   */
  async exchange(refreshToken: string, signal: AbortSignal): Promise<TokenAnswer> {
    const answer = await this.#post(refreshToken, signal);
    return answer.ok ? readTokens(answer, this.url, refreshToken) : { refusedWith: answer.status };
  }

  async #post(refreshToken: string, signal: AbortSignal): Promise<HttpAnswer> {
    const { attemptTimeoutMs, tries, retryBaseMs, maxWaitMs } = this.#options;
    const call = () =>
      new Attempt(attemptTimeoutMs, signal).run((attempt) =>
        this.#postOnce(refreshToken, attempt.signal),
      );
    try {
      return await retry(call, {
        maxTries: tries,
        baseDelayMs: retryBaseMs,
        maxDelayMs: MAX_DELAY_MS,
        isRetryable,
        retryAfterMs: (error) => (error instanceof StatusError ? error.retryAfterMs : 0),
        maxRetryAfterMs: maxWaitMs,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new FatalError(`POST ${this.url} ${describeFailure(error)}`, {
        hint: hintForNoAnswer(codeOf(error), 'authUrl'),
      });
    }
  }

  async #postOnce(refreshToken: string, signal: AbortSignal): Promise<HttpAnswer> {
    this.#options.onExchange();
    const answer = await exchange(this.#options.fetch, this.url, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ api_token: refreshToken }),
      signal,
    });
    if (answer.ok || isRefusal(answer.status)) return answer;
    const error = new StatusError(answer);
    if (answer.status === 429) {
      const { retryAfterMs: pauseMs } = error;
      this.#options.onRateLimited({ operation: `POST ${this.url}`, pauseMs });
    }
    throw error;
  }
}

function isRetryable(error: unknown): boolean {
  if (error instanceof StatusError) return isTransientStatus(error.status);
  return error instanceof NoAnswerError || error instanceof AttemptTimeoutError;
}

/** The spec does not show with which status a refresh token is refused: it may be any of 4xx. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !isTransientStatus(status);
}

/** Leaves out the network's message, which may quote the refresh token. */
function describeFailure(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof AttemptTimeoutError) return 'got no answer in time';
  const code = codeOf(error);
  return `got no answer${code === undefined ? '' : ` (${code})`}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof NoAnswerError ? error.code : undefined;
}

function readTokens(answer: HttpAnswer, url: string, sent: string): TokenAnswer {
  const { status } = answer;
  const body = parseJson(answer.text);
  const isObject = typeof body === 'object' && body !== null;
  const { access_token: token, refresh_token: next } = (isObject ? body : {}) as JsonObject;
  if (typeof token === 'string' && VALID_TOKEN.test(token)) {
    const lifetimeMs = lifetimeOf(token, body as JsonObject, answer);
    const isReplaced = typeof next === 'string' && next !== sent;
    return { token, isReplaced, ...(lifetimeMs > 0 && { lifetimeMs }) };
  }
  const got = body === undefined ? 'no JSON' : describeFields(body);
  throw new FatalError(
    `POST ${url} was answered with ${status} but without a valid access_token, ` +
      `a text without spaces; got ${got}`,
    { hint: 'Check that authUrl is the address of the token endpoint.' },
  );
}

/**
 * The time for which an access token is accepted: `expires_in` of the answer in seconds, or the
 * claim `exp` of a JWT, by the clock of the endpoint.
 *
 * @returns milliseconds; NaN if neither is there.
 */
function lifetimeOf(token: string, { expires_in }: JsonObject, { headers }: HttpAnswer): number {
  const seconds = Number(expires_in ?? NaN);
  if (seconds > 0) return seconds * 1000;
  const [, claims = ''] = token.split('.');
  const { exp } = (parseJson(Buffer.from(claims, 'base64url').toString()) ?? {}) as JsonObject;
  const date = Date.parse(headers.get('date') ?? '');
  return Number(exp ?? NaN) * 1000 - (Number.isNaN(date) ? Date.now() : date);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
