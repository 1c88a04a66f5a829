import {
  type FeedError,
  PageTooSlowError,
  ProtocolError,
  ServiceError,
} from '../../core/model/errors.ts';
import { hintForNoAnswer, isTransientStatus, type NoAnswerError } from '../shared/http-exchange.ts';
import { quoteAnswer } from '../shared/quote-answer.ts';

const SLOW = {
  hint: 'Lower perPage if it persists.',
};

/**
 * Whether the same request may succeed on another try: after 408, 429, 5xx, network errors,
 * time-outs and broken answers, but not a page that was too slow.
 */
export function isRetryable(error: unknown): boolean {
  // The next poll asks for a smaller page instead.
  if (error instanceof PageTooSlowError) return false;
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof ServiceError)) return false;
  return error.status === undefined || isTransientStatus(error.status);
}

/**
 * Whether an answer may mean that the access token has ended. Services have many ways to say so: a
 * 401 or 403, a redirect to a login page, that page itself, an error in a body with status 200.
 */
export function mayMeanTokenEnded(error: unknown, isList: boolean): error is FeedError {
  if (error instanceof ProtocolError) return true;
  if (!(error instanceof ServiceError)) return false;
  const { status = 0 } = error;
  const isRedirect = status >= 300 && status < 400;
  // A single entity may be hidden.
  return status === 401 || isRedirect || (isList && status === 403);
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
): ServiceError {
  const { status, retryAfterMs } = answer;
  const text = quoteAnswer(answer.text) || '(empty body)';
  const message = `${operation} was answered with ${status}: ${text}`;
  if (answer.isList && status === 504) return new PageTooSlowError(message, { status, ...SLOW });
  return new ServiceError(message, { status, hint: hintFor(status), retryAfterMs });
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
export function brokenAnswerError(operation: string, reason: string): ProtocolError {
  return new ProtocolError(`${operation}: ${quoteAnswer(reason)}`, {
    hint: "Report it to the service's provider if it persists.",
  });
}

function hintFor(status: number): string {
  if (status < 400) return 'Check baseUrl: the service answers at another address.';
  if (status === 401) {
    return 'Check that baseUrl and authUrl belong together, and that the user may read this list.';
  }
  if (status === 403 || status === 404) {
    return (
      'Check baseUrl if all lists are answered so. ' +
      'Else give the account access if you want this list: it is tried again later.'
    );
  }
  if (status === 429) return 'Lower requestsPerMinute: the service allows fewer.';
  if (status === 408 || status >= 500) return 'Report it to the provider if it lasts.';
  if (status === 400 || status === 410) {
    return (
      'If the list was read before, reconcile it: its cursor may be too old. ' +
      'Otherwise check serviceVersion.'
    );
  }
  return 'Check serviceVersion and additionalResources.';
}
