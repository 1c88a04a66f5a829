import {
  FeedError,
  FeedRefusedError,
  PageTooSlowError,
  ProtocolError,
  ServiceError,
} from '../../core/model/errors.ts';
import { hintForNoAnswer, isTransientStatus, type NoAnswerError } from '../shared/http-exchange.ts';
import { quoteAnswer } from '../shared/quote-answer.ts';

const SLOW = {
  hint: 'Smaller pages are requested. Lower perPage if it persists.',
};

/**
 * Whether the same request may succeed on another try: after 408, 429, 5xx, network errors, time-outs
 * and broken answers, but not a page that was too slow.
 */
export function isRetryable(error: unknown): boolean {
  // The paginator asks for a smaller page instead.
  if (error instanceof PageTooSlowError) return false;
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof ServiceError)) return false;
  return error.status === undefined || isTransientStatus(error.status);
}

/**
 * Whether the list itself failed. A rate limit (429) concerns the whole client, and a 401 the access
 * token.
 */
export function isFailureOfFeed(error: unknown): error is FeedError {
  if (error instanceof ServiceError) return error.status !== 429 && error.status !== 401;
  return error instanceof FeedError;
}

/** The service answered with an error status. */
export function statusError(
  operation: string,
  answer: {
    readonly status: number;
    readonly text: string;
    readonly isList: boolean;
    /** Wait that the service requests. */
    readonly retryAfterMs: number;
  },
): ServiceError | FeedRefusedError {
  const { status, retryAfterMs } = answer;
  const text = quoteAnswer(answer.text);
  const message = `${operation} was answered with ${status}: ${text === '' ? '(empty body)' : text}`;
  if (answer.isList && status === 504) return new PageTooSlowError(message, { status, ...SLOW });
  return answer.isList && (status === 403 || status === 404)
    ? new FeedRefusedError(message, { status, hint: hintFor(status) })
    : new ServiceError(message, { status, hint: hintFor(status), retryAfterMs });
}

/** Whether the service rejects the access token, or answers as if it did. */
export function isUnauthorized(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.status === 401;
}

/** The service answered 401 to a token that it accepts for other requests: the list itself fails. */
export function ownRefusalError({ message, retryAfterMs }: ServiceError): ServiceError {
  return new ServiceError(message, {
    ...{ status: 401, retryAfterMs },
    hint: 'The token is accepted elsewhere. Check the rights of its user for this request.',
  });
}

/** The service could not be reached, or the connection broke. */
export function noAnswerError(
  operation: string,
  { code, message: reason }: NoAnswerError,
): ServiceError {
  const message = `${operation} got no answer: ${quoteAnswer(reason)}`;
  return new ServiceError(message, { hint: hintForNoAnswer(code, 'baseUrl') });
}

/** The service exceeded the time of an attempt. */
export function timeoutError(operation: string, timeoutMs: number, isList: boolean): ServiceError {
  const message = `${operation} got no whole answer within ${timeoutMs} ms`;
  return isList ? new PageTooSlowError(message, SLOW) : new ServiceError(message, SLOW);
}

/** The answer breaks the spec; the reason may quote its headers. */
export function brokenAnswerError(operation: string, reason: string, body: string): ProtocolError {
  return new ProtocolError(`${operation}: ${quoteAnswer(reason)}`, {
    excerpt: quoteAnswer(body),
    hint: "The cursor stays. If it persists, ask the service's provider.",
  });
}

function hintFor(status: number): string {
  if (status < 400) return 'Check baseUrl: the service answers at another address.';
  if (status === 401) {
    return 'A fresh access token is rejected. Do baseUrl and authUrl belong together? May the account use the API?';
  }
  if (status === 403 || status === 404) {
    return 'Check baseUrl if all lists are answered so. Else give the account access if you want this list: it is tried again within an hour.';
  }
  if (status === 429) return 'Lower requestsPerMinute: the service allows fewer.';
  if (status === 408 || status >= 500) return 'The service has a problem.';
  return 'Check serviceVersion and the catalog.';
}
