import type { Answer } from './parse-page.ts';

/** One read of the service. */
export interface Call<T> {
  /** Below `{base_url}/api/v3`, with the leading slash. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Entities per page. */
  readonly perPage?: number | undefined;
  /** The refusal of a list is a FeedRefusedError. */
  readonly isList: boolean;
  /** See {@link PageRequest.startBefore}. */
  readonly startBefore?: number | undefined;
  /** Makes the result of the answer, or throws ProtocolError. */
  readonly read: (answer: Answer) => T;
}

/** Method and path of a call, for messages. Leaves out a query in the path. */
export function nameOf({ path }: Pick<Call<unknown>, 'path'>): string {
  return `GET ${path.split('?', 1)[0] ?? ''}`;
}

/** The headers that all calls share, and the name of the one with the size of a page. */
export interface CommonHeaders {
  readonly common: Readonly<Record<string, string>>;
  readonly perPage: string;
}

/** The request of a call, without its address. */
export function initOf(
  { perPage }: Call<unknown>,
  token: string,
  headers: CommonHeaders,
): RequestInit {
  return {
    headers: {
      ...headers.common,
      ...(perPage !== undefined && { [headers.perPage]: String(perPage) }),
      authorization: `Bearer ${token}`,
    },
  };
}

/** Path and query of a call. */
export function pathOf({ path, query }: Pick<Call<unknown>, 'path' | 'query'>): string {
  // URLSearchParams encodes the + of an offset, which would otherwise arrive as a space.
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}
