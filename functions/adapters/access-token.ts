import ky, { HTTPError, isNetworkError, isTimeoutError } from 'ky';
import { FatalError, RefreshTokenRejected } from '../core/errors.ts';

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
  readonly longestWaitMs?: number;
  /** The global fetch by default. */
  readonly fetch?: typeof fetch;
}

/** 408, 429 and all of 5xx. */
const PASSING = [408, 429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];
/** What may stand in a header; a JWT does. */
const USABLE_TOKEN = /^[\x21-\x7e]+$/;

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
      longestWaitMs: 60_000,
      fetch: globalThis.fetch,
      ...options,
    };
    this.#url = `${options.authUrl.replace(/\/+$/, '')}/api_keys/jwt`;
  }

  /**
   * The access token, from the cache or by an exchange.
   *
   * @param signal ends the wait with its reason; the exchange ends with the last that waits for it.
   * @throws RefreshTokenRejected when the refresh token is refused (4xx other than 408 and 429) or
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
    throw new RefreshTokenRejected(`the refresh token in the secret "${secret.name}" ${why}`, {
      hint,
    });
  }

  /** Sends the exchange, again where it may pass. Refusals are the caller's. */
  async #post(refreshToken: string, signal: AbortSignal): Promise<Response> {
    const { tries, retryBaseMs, longestWaitMs, attemptTimeoutMs, fetch } = this.#options;
    try {
      return await ky.post(this.#url, {
        json: { api_token: refreshToken },
        headers: { accept: 'application/json' },
        // A redirect would carry the refresh token to another address.
        redirect: 'manual',
        signal,
        timeout: attemptTimeoutMs,
        throwHttpErrors: (status) => !isRefusal(status),
        retry: {
          limit: tries - 1,
          methods: ['post'],
          statusCodes: PASSING,
          afterStatusCodes: PASSING,
          maxRetryAfter: longestWaitMs,
          retryOnTimeout: true,
          delay: (retry) => retryBaseMs * 2 ** (retry - 1),
          jitter: true,
        },
        // The body is read within the attempt, so that its time-out and its retry cover it.
        fetch: async (request) => {
          const response = await fetch(request);
          const body = await response.text();
          return new Response(body === '' ? null : body, response);
        },
      });
    } catch (error) {
      signal.throwIfAborted();
      throw new FatalError(`POST ${this.#url} ${whatHappened(error)}`, {
        hint: 'Check authUrl and the network; the next run tries again.',
      });
    }
  }
}

/** The spec does not show with which status a refresh token is refused: any of 4xx may be it. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !PASSING.includes(status);
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

async function readAccessToken(answer: Response, url: string): Promise<string> {
  const body: unknown = await answer.json().catch(() => undefined);
  const token: unknown =
    typeof body === 'object' && body !== null && 'access_token' in body
      ? body.access_token
      : undefined;
  if (typeof token === 'string' && USABLE_TOKEN.test(token)) return token;
  throw new FatalError(
    `POST ${url} was answered with ${answer.status} but without a usable access_token, which must be a text of at least one letter, without spaces`,
    { hint: 'Check that authUrl is the address of the token endpoint.' },
  );
}

/** The errors of ky hold the request, and that the refresh token: only words are taken over. */
function whatHappened(error: unknown): string {
  if (error instanceof HTTPError) return `was answered with ${error.response.status}`;
  if (isTimeoutError(error)) return 'got no answer in time';
  if (!isNetworkError(error)) return 'failed';
  const reason = error.cause instanceof Error ? error.cause.cause : undefined;
  const code = reason instanceof Error && 'code' in reason ? ` (${String(reason.code)})` : '';
  return `got no answer${code}`;
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
