import type { PageRequest } from '../../core/ports/service-api.ts';
import { exchange, NoAnswerError, readStart, type HttpAnswer } from '../shared/http-exchange.ts';
import { TimeoutError, withTimeout } from '../shared/timeout.ts';
import type { ServiceApiOptions } from './options.ts';
import type { Answer } from './parse-page.ts';
import { readBody } from './read-body.ts';
import { brokenAnswerError, noAnswerError, timeoutError } from './response-errors.ts';

/** One read of the service. */
export interface Call<T> extends Pick<PageRequest, 'path' | 'query'> {
  /** Entities per page. */
  readonly perPage?: number;
  readonly isList: boolean;
  /** Makes the result of the answer, or throws ProtocolError. */
  readonly read: (answer: Answer) => T;
}

type RequestOptions = Pick<ServiceApiOptions, 'baseUrl' | 'serviceVersion' | 'headers'> &
  Required<Pick<ServiceApiOptions, 'attemptTimeoutMs' | 'maxBodyBytes' | 'fetch'>>;

/** Method and path of a call, for messages. Leaves out a query in the path. */
export function nameOf({ path }: Call<unknown>): string {
  return `GET ${path.split('?', 1)[0] ?? ''}`;
}

/**
 * Sends the request of a call, and reads the answer, with any status, in the time of an attempt.
 *
 * @throws the FeedError that says why no whole answer came, and PageTooLargeError.
 */
export async function sendRequest(
  call: Call<unknown>,
  token: string,
  options: RequestOptions,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const { attemptTimeoutMs, maxBodyBytes, fetch } = options;
  const headers = headersOf(call, token, options);
  const read = (response: Response): Promise<string> => {
    if (!response.ok) return readStart(response.body);
    return readBody(response, maxBodyBytes, (reason) => brokenAnswerError(nameOf(call), reason));
  };
  try {
    return await withTimeout(
      attemptTimeoutMs,
      (stop) => exchange(fetch, urlOf(call, options), { headers, signal: stop }, read),
      signal,
    );
  } catch (error) {
    if (error instanceof TimeoutError) {
      throw timeoutError(nameOf(call), attemptTimeoutMs, call.isList);
    }
    throw error instanceof NoAnswerError ? noAnswerError(nameOf(call), error) : error;
  }
}

function urlOf({ path, query }: Call<unknown>, { baseUrl }: RequestOptions): string {
  // URLSearchParams encodes the + of an offset, which would otherwise arrive as a space.
  const parameters = new URLSearchParams(query).toString();
  return `${baseUrl.replace(/\/+$/, '')}/api/v3${path}${parameters && `?${parameters}`}`;
}

function headersOf(
  { perPage }: Call<unknown>,
  token: string,
  { serviceVersion, headers = {} }: RequestOptions,
): Record<string, string> {
  const { version = 'Service-Version', perPage: size = 'Service-Per-Page', extra } = headers;
  return {
    ...extra,
    accept: 'application/json',
    ...(serviceVersion !== undefined && { [version]: serviceVersion }),
    ...(perPage !== undefined && { [size]: String(perPage) }),
    authorization: `Bearer ${token}`,
  };
}
