import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import { readRetryAfter } from '../shared/retry-after.ts';
import { FatalError, RefreshTokenRejectedError } from '../../core/model/errors.ts';

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

/** How access tokens are had. */
export interface AccessTokenOptions {
  /** Address of the token endpoint, without `/api_keys/jwt`. */
  readonly authUrl: string;
  readonly secret: RefreshTokenSecret;
  /** Milliseconds for one attempt, to the end of the body; 10 000 by default. */
  readonly attemptTimeoutMs?: number;
  /** Attempts of one exchange; 4 by default. */
  readonly tries?: number;
  /** Longest wait before the first retry in milliseconds, doubled with each; 500 by default. */
  readonly retryBaseMs?: number;
  /** Longest wait the token endpoint may ask for, in milliseconds; 60 000 by default. */
  readonly maxWaitMs?: number;
  /** The global fetch by default. */
  readonly fetch?: typeof fetch;
}

/** What may stand in a header; a JWT does. */
const USABLE_TOKEN = /^[\x21-\x7e]+$/;

/** What the token endpoint answered: a token, or a refusal. */
interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
}

/** An attempt that brought neither. Its message says what happened, in words of our own. */
class AttemptFailedError extends Error {
  override readonly name = 'AttemptFailedError';
  readonly isRetryable: boolean;
  /** Wait that the endpoint asked for, in milliseconds. */
  readonly retryAfterMs: number;

  constructor(
    what: string,
    { isRetryable, retryAfterMs = 0 }: { isRetryable: boolean; retryAfterMs?: number },
  ) {
    super(what);
    this.isRetryable = isRetryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** One exchange, shared by all that wait for it. */
interface Exchange {
  readonly token: Promise<string>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Exchanges the refresh token for access tokens (spec, "Authentication"). A token is kept until the
 * service rejects it, since its lifetime may change at any time; one exchange is under way at a time.
 *
 * Errors of an exchange are fatal to the run, since no feed can be read without a token. They hold
 * neither tokens nor what the endpoint answered, which may repeat one.
 */
export class AccessTokenSource {
  readonly #options: Required<AccessTokenOptions>;
  readonly #url: string;
  #token: string | undefined;
  #exchange: Exchange | undefined;

  constructor(options: AccessTokenOptions) {
    this.#options = {
      attemptTimeoutMs: 10_000,
      tries: 4,
      retryBaseMs: 500,
      maxWaitMs: 60_000,
      fetch: globalThis.fetch,
      ...options,
    };
    this.#url = `${options.authUrl.replace(/\/+$/, '')}/api_keys/jwt`;
  }

  /**
   * The access token, from the cache or by an exchange.
   *
   * @param signal ends the wait with its reason; the exchange ends with the last that waits for it.
   * @throws RefreshTokenRejectedError when the refresh token is refused (4xx other than 408 and 429) or
   *   missing, also in a fresh read.
   * @throws FatalError when the token endpoint or the secret cannot be used.
   */
  async get(signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    return this.#token ?? this.#join(signal);
  }

  /**
   * Another access token in place of one that the service answered with 401. However many requests
   * had the same one rejected, it is exchanged once.
   */
  async renew(rejected: string, signal?: AbortSignal): Promise<string> {
    if (this.#token === rejected) this.#token = undefined;
    return this.get(signal);
  }

  async #join(signal: AbortSignal | undefined): Promise<string> {
    const exchange = (this.#exchange ??= this.#start());
    exchange.waiting++;
    try {
      return await unlessAborted(exchange.token, signal);
    } finally {
      exchange.waiting--;
      if (exchange.waiting === 0) {
        exchange.stop.abort();
        this.#exchange = undefined;
      }
    }
  }

  #start(): Exchange {
    const stop = new AbortController();
    const token = this.#obtain(stop.signal).then((fresh) => (this.#token = fresh));
    return { token, stop, waiting: 0 };
  }

  /** Tries the refresh token at hand, then the secret's latest: it may have been rotated. */
  async #obtain(signal: AbortSignal): Promise<string> {
    const { secret } = this.#options;
    let why = '';
    let hint = '';
    for (const fresh of [false, true]) {
      const refreshToken = await secret.read({ fresh, signal });
      const answer = refreshToken === '' ? undefined : await this.#post(refreshToken, signal);
      if (answer?.ok) return readAccessToken(answer, this.#url);
      why = answer
        ? `was refused: POST ${this.#url} was answered with ${answer.status}`
        : 'is empty: it holds no refresh token';
      hint = hintFor(answer?.status, secret.name);
    }
    throw new RefreshTokenRejectedError(`the refresh token in the secret "${secret.name}" ${why}`, {
      hint,
    });
  }

  /** Sends the exchange, again where it may pass. Refusals are the caller's. */
  async #post(refreshToken: string, signal: AbortSignal): Promise<Answer> {
    const { tries, retryBaseMs, maxWaitMs } = this.#options;
    try {
      return await pRetry(() => this.#postOnce(refreshToken, signal), {
        retries: tries - 1,
        shouldRetry: async ({ error, attemptNumber }) => {
          if (!(error instanceof AttemptFailedError && error.isRetryable)) return false;
          if (error.retryAfterMs > maxWaitMs) return false;
          const jitterMs = Math.random() * retryBaseMs * 2 ** (attemptNumber - 1);
          await sleep(Math.max(error.retryAfterMs, jitterMs), undefined, { signal });
          return true;
        },
        // It waits there: p-retry knows nothing of what the endpoint asks for.
        minTimeout: 0,
      });
    } catch (error) {
      signal.throwIfAborted();
      const what = error instanceof AttemptFailedError ? error.message : 'failed';
      throw new FatalError(`POST ${this.#url} ${what}`, {
        hint: 'Check authUrl and the network; the next run tries again.',
      });
    }
  }

  /** The body is read within the attempt, so that its time-out and its retry cover it. */
  async #postOnce(refreshToken: string, signal: AbortSignal): Promise<Answer> {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
    }, this.#options.attemptTimeoutMs);
    try {
      const response = await this.#options.fetch(this.#url, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify({ api_token: refreshToken }),
        // A redirect would carry the refresh token to another address.
        redirect: 'manual',
        signal: AbortSignal.any([signal, late.signal]),
      });
      const { status, ok, headers } = response;
      const text = await response.text();
      if (ok || isRefusal(status)) return { status, ok, text };
      const retryAfterMs = readRetryAfter(headers, Date.now()) ?? 0;
      throw new AttemptFailedError(`was answered with ${status}`, {
        isRetryable: isRetryable(status),
        retryAfterMs,
      });
    } catch (error) {
      if (error instanceof AttemptFailedError) throw error;
      const what = late.signal.aborted ? 'got no answer in time' : `got no answer${codeOf(error)}`;
      throw new AttemptFailedError(what, { isRetryable: true });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** 408, 429 and all of 5xx. */
function isRetryable(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** The spec does not show with which status a refresh token is refused: any of 4xx may be it. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !isRetryable(status);
}

/** @param status of the refusal; absent when the secret is empty. */
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

function readAccessToken({ status, text }: Answer, url: string): string {
  const body = parseJson(text);
  const token: unknown =
    typeof body === 'object' && body !== null && 'access_token' in body
      ? body.access_token
      : undefined;
  if (typeof token === 'string' && USABLE_TOKEN.test(token)) return token;
  throw new FatalError(
    `POST ${url} was answered with ${status} but without a usable access_token, which must be a text of at least one letter, without spaces`,
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

/** Errors of fetch may hold the request, and that the refresh token: only the code is taken over. */
function codeOf(error: unknown): string {
  const reason = error instanceof Error ? error.cause : undefined;
  return reason instanceof Error && 'code' in reason ? ` (${String(reason.code)})` : '';
}

/** The promise's outcome, unless the signal is aborted first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
