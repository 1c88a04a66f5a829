import {
  FeedError,
  FeedRefusedError,
  ProtocolError,
  ServiceError,
} from '../../core/model/errors.ts';

/** Methods of the spec's "Operations". */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT';

const LONGEST_ANSWER = 300;
const REMOVED = '[removed]';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Fields whose value is nobody's business, in JSON. */
const SECRET_FIELD =
  /("[\w-]*(?:token|secret|password|authorization|api_?key)[\w-]*"\s*:\s*)"(?:[^"\\]|\\.)*"?/gi;
const BEARER = /bearer\s+[^\s"',]+/gi;
/** JWTs, API keys, hashes: long runs without a space. */
const TOKEN_LIKE = /[\w+.-]{32,}=*/g;

/** Codes of errors that come before a byte of the request was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** No connection came about: the service cannot have acted on the request. */
class NotConnectedError extends ServiceError {}

/**
 * Whether the same request may succeed on another try.
 *
 * Reads are repeated after 408, 429, 5xx, network errors, time-outs and broken answers. Writes
 * (POST, PATCH, PUT) only when the service surely has not acted: 429, or no connection. The spec
 * does not show their bodies, so a repeated one could create twice, rotate twice, or write over
 * somebody's change.
 */
export function isRetryable(error: Error, method: Method): boolean {
  if (error instanceof NotConnectedError) return true;
  if (method !== 'GET') return error instanceof ServiceError && error.status === 429;
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof ServiceError)) return false;
  const { status } = error;
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

/**
 * Whether the list itself failed. A rate limit (429) is meant for the whole client, and a 401 is a
 * matter of the access token.
 */
export function isFailureOfFeed(error: unknown): error is FeedError {
  if (error instanceof ServiceError) return error.status !== 429 && error.status !== 401;
  return error instanceof FeedError;
}

/** The service answered with an error status. */
export function answeredWithError(
  what: string,
  answer: { readonly status: number; readonly text: string; readonly isList: boolean },
  accessToken: string,
): ServiceError | FeedRefusedError {
  const { status } = answer;
  const text = safeAnswer(answer.text, accessToken);
  const message = `${what} was answered with ${status}: ${text === '' ? '(empty body)' : text}`;
  return answer.isList && (status === 403 || status === 404)
    ? new FeedRefusedError(message, { status, hint: hintFor(status) })
    : new ServiceError(message, { status, hint: hintFor(status) });
}

/**
 * The service could not be reached, or the connection broke. The error underneath goes into the
 * message and not into `cause`: it may hold the request with its headers.
 */
export function noAnswer(what: string, error: unknown, accessToken: string): ServiceError {
  const { code, reason } = networkReason(error);
  const message = `${what} got no answer: ${safeAnswer(reason, accessToken)}`;
  const hint = 'Check baseUrl and the network; the feed is tried again by itself.';
  return code !== undefined && NEVER_SENT.has(code)
    ? new NotConnectedError(message, { hint })
    : new ServiceError(message, { hint });
}

/** The service took too long. */
export function tookTooLong(what: string, timeoutMs: number): ServiceError {
  return new ServiceError(`${what} got no whole answer within ${timeoutMs} ms`, {
    hint: 'The service is slow; the feed is tried again by itself. A smaller page may help.',
  });
}

/** The answer breaks the spec; `why` may quote it. */
export function brokenAnswer(what: string, why: string, accessToken: string): ProtocolError {
  return new ProtocolError(`${what}: ${safeAnswer(why, accessToken)}`, {
    hint: 'The cursor stays and the feed is tried again. If it goes on, ask the provider of the service.',
  });
}

/** What of an answer may stand in a message: one line, short, nothing that looks like a secret. */
function safeAnswer(text: string, accessToken: string): string {
  const line = text
    .slice(0, 20 * LONGEST_ANSWER)
    .replaceAll(accessToken, REMOVED)
    .replace(SECRET_FIELD, `$1"${REMOVED}"`)
    .replace(BEARER, REMOVED)
    .replace(TOKEN_LIKE, (run) => (UUID.test(run) ? run : REMOVED))
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return line.length <= LONGEST_ANSWER ? line : `${line.slice(0, LONGEST_ANSWER)}…`;
}

/** fetch says only "fetch failed"; the reason is in the causes below. */
function networkReason(error: unknown): { code: string | undefined; reason: string } {
  let code: string | undefined;
  let reason = 'unknown error';
  for (let at = error; at instanceof Error; at = at.cause) {
    reason = at.message;
    if ('code' in at && typeof at.code === 'string') ({ code } = at);
  }
  return { code, reason: [code, reason].filter(Boolean).join(' ') };
}

function hintFor(status: number): string {
  if (status < 400) return 'Check baseUrl: the service answers at another address.';
  if (status === 401) {
    return 'The service refuses a fresh access token: check that baseUrl and authUrl belong together and that the account may use the API.';
  }
  if (status === 403 || status === 404) {
    return 'Give the account access if this is wanted; a refused list is parked and asked again in an hour.';
  }
  if (status === 429) return 'Lower requestsPerMinute: the service allows less than the budget.';
  if (status === 408 || status >= 500) {
    return 'The service has a problem; the feed is tried again by itself.';
  }
  return 'The service does not accept the request; its answer says why. Check serviceVersion and the catalog.';
}
