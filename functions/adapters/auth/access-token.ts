import {
  FatalError,
  RefreshTokenMissingError,
  RefreshTokenRejectedError,
} from '../../core/model/errors.ts';
import { Attempt, AttemptTimeoutError } from '../shared/attempt.ts';
import {
  exchange,
  hintForNoAnswer,
  isTransientStatus,
  NoAnswerError,
  type HttpAnswer,
} from '../shared/http-exchange.ts';
import { readRetryAfter } from '../shared/retry-after.ts';
import { retry } from '../shared/retry.ts';
import { unlessAborted } from '../shared/unless-aborted.ts';
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

export interface AccessTokenOptions {
  /** Address of the token endpoint, without `/api_keys/jwt`. */
  readonly authUrl: string;
  readonly secret: RefreshTokenSecret;
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
  /** Called for each answer that refuses the refresh token. */
  readonly onRefusal?: () => void;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly now?: () => number;
}

/** Longest wait between two tries unless the endpoint requests more. */
const MAX_DELAY_MS = 5_000;

/** Characters of a header's value; a JWT has no others. */
const VALID_TOKEN = /^[\x21-\x7e]+$/;

/** The token endpoint answered with neither a token nor a refusal. */
class StatusError extends Error {
  readonly status: number;
  /** Wait that the endpoint requests. */
  readonly retryAfterMs: number;

  constructor({ status, headers }: HttpAnswer) {
    super(`was answered with ${status}`);
    this.status = status;
    this.retryAfterMs = readRetryAfter(headers, Date.now()) ?? 0;
  }
}

/** One exchange, shared by all callers that wait for it. */
interface Exchange {
  readonly token: Promise<string>;
  readonly stop: AbortController;
  waitingCount: number;
}

/**
 * Exchanges the refresh token for access tokens (spec, "Authentication"), one exchange at a time. Keeps
 * a token until the service rejects it, since its lifetime may change at any time.
 *
 * Errors of an exchange are fatal to the run, since no feed can be read without a token. They hold
 * neither tokens nor the body of the answer, which may repeat one.
 */
export class AccessTokenSource {
  readonly #options: Required<AccessTokenOptions>;
  readonly #url: string;
  readonly #refusals: TokenRefusals;
  #token: string | undefined;
  #exchange: Exchange | undefined;

  constructor(options: AccessTokenOptions) {
    this.#options = {
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 60_000,
      fetch: globalThis.fetch,
      onExchange: () => undefined,
      onRefusal: () => undefined,
      now: Date.now,
      ...options,
    };
    this.#refusals = new TokenRefusals(this.#options.now);
    this.#url = `${options.authUrl.replace(/\/+$/, '')}/api_keys/jwt`;
  }

  /**
   * The access token, from the cache or by an exchange.
   *
   * @param signal ends the wait with its reason; the exchange ends with its last waiting caller.
   * @throws RefreshTokenMissingError when the secret holds none, and RefreshTokenRejectedError when it is
   *   refused (4xx other than 408 and 429), also after a fresh read of the secret.
   * @throws FatalError when the token endpoint or the secret cannot be used.
   */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    return this.#token ?? this.#join(signal);
  }

  /**
   * Replaces an access token that the service answered with 401. Requests that had the same token
   * rejected share one exchange.
   */
  async renew(rejected: string, signal?: AbortSignal): Promise<string> {
    if (this.#token === rejected) this.#token = undefined;
    return this.get(signal);
  }

  /** What another process must know: a refresh token that was refused. */
  handOver(): string | undefined {
    return this.#refusals.encode();
  }

  resume(note: string): void {
    this.#refusals.resume(note);
  }

  async #join(signal: AbortSignal | undefined): Promise<string> {
    const current = (this.#exchange ??= this.#start());
    current.waitingCount++;
    try {
      return await unlessAborted(current.token, signal);
    } finally {
      current.waitingCount--;
      if (current.waitingCount === 0) {
        current.stop.abort();
        this.#exchange = undefined;
      }
    }
  }

  #start(): Exchange {
    const stop = new AbortController();
    const token = this.#obtain(stop.signal).then((fresh) => (this.#token = fresh));
    return { token, stop, waitingCount: 0 };
  }

  /** Tries the cached refresh token, then the latest of the secret: it may have been rotated. */
  async #obtain(signal: AbortSignal): Promise<string> {
    const { secret } = this.#options;
    let refused: number | undefined;
    let refreshToken = '';
    for (const fresh of [false, true]) {
      refreshToken = await secret.read({ fresh, signal });
      if (refreshToken === '' || this.#mustWait(refreshToken)) continue;
      const answer = await this.#post(refreshToken, signal);
      if (answer.ok) {
        this.#refusals.clear();
        return readAccessToken(answer, this.#url);
      }
      this.#refusals.add(refreshToken);
      this.#options.onRefusal();
      refused = answer.status;
    }
    throw this.#failure(refreshToken, refused);
  }

  #mustWait(refreshToken: string): boolean {
    return (this.#refusals.retryAt(refreshToken) ?? 0) > this.#options.now();
  }

  /** @param refused status of the answer; absent when nothing was sent. */
  #failure(refreshToken: string, refused: number | undefined): FatalError {
    const { name } = this.#options.secret;
    const hint = hintFor(refused, name);
    if (refreshToken === '') {
      return new RefreshTokenMissingError(`The secret "${name}" holds no refresh token yet`, {
        hint,
      });
    }
    const retryAt = new Date(this.#refusals.retryAt(refreshToken) ?? 0).toISOString();
    const reason =
      refused === undefined
        ? `was refused, and is sent again after ${retryAt}, or when it changes`
        : `was refused: POST ${this.#url} was answered with ${refused}`;
    return new RefreshTokenRejectedError(`The refresh token in the secret "${name}" ${reason}`, {
      hint,
      isKnown: refused === undefined,
    });
  }

  /** Resolves with a token or a refusal. The body is read within the attempt, its time and its retry. */
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
      throw new FatalError(`POST ${this.#url} ${describeFailure(error)}`, {
        hint: `${hintForNoAnswer(codeOf(error), 'authUrl')} The next run tries again.`,
      });
    }
  }

  async #postOnce(refreshToken: string, signal: AbortSignal): Promise<HttpAnswer> {
    this.#options.onExchange();
    const answer = await exchange(this.#options.fetch, this.#url, {
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

/** @param status of the refusal; absent when nothing was sent. */
function hintFor(status: number | undefined, secretName: string): string {
  const mayBeAddress = status !== undefined && status !== 401 && status !== 403;
  return (
    (mayBeAddress
      ? 'Check that authUrl is the address of the token endpoint. If it is, the token is wrong. '
      : '') +
    'Get a refresh token (API key) from the account page of the service, write it to a file and run: ' +
    `aws secretsmanager put-secret-value --secret-id '${secretName}' --secret-string file://<file>`
  );
}

function readAccessToken({ status, text }: HttpAnswer, url: string): string {
  const body = parseJson(text);
  const token: unknown =
    typeof body === 'object' && body !== null && 'access_token' in body
      ? body.access_token
      : undefined;
  if (typeof token === 'string' && VALID_TOKEN.test(token)) return token;
  throw new FatalError(
    `POST ${url} was answered with ${status} but without a valid access_token: it must be a non-empty text without spaces`,
    { hint: 'Check that authUrl is the address of the token endpoint.' },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
