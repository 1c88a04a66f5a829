import { SitecastError } from '../../core/model/errors.ts';

/** Bytes of an answer that are read by default: more than any token has, or anybody quotes. */
const MAX_BYTES = 65_536;
/** All that is known where neither a code nor a message is. */
const NO_REASON = 'fetch gave no reason, as for an answer 407 (Proxy Authentication Required)';

/** Stands in place of the body of an error answer that breaks off, or is not encoded as it says. */
const UNREADABLE = '(unreadable body)';

/** An answer of an HTTP server: a good one is whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * No whole answer came. The error of fetch is not its cause: it may hold the request with its
 * secrets.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  /** Code of the network's error, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  /**
   * @param failure the error of fetch, which says only "fetch failed": the reason is its last
   * cause.
   */
  constructor(failure: unknown) {
    let code: string | undefined;
    let reason = 'unknown error';
    for (let error = failure; error instanceof Error; error = error.cause) {
      reason = error.message;
      if ('code' in error && typeof error.code === 'string') ({ code } = error);
    }
    super([code, reason].filter(Boolean).join(' ') || NO_REASON);
    this.code = code;
  }
}

/**
 * Sends one request and reads the answer with any status. An error's status counts: a token that is
 * refused with a broken body would otherwise never be renewed.
 *
 * @param read reads the body, by default its first 64 KB; a SitecastError of its own passes
 *   through.
 * @throws NoAnswerError when the connection fails before the end of the body of a good answer, or
 *   before any answer.
 */
export async function exchange<Init extends RequestInit>(
  fetch: (url: string, init: Init) => Promise<Response>,
  url: string,
  init: Init,
  read = (response: Response): Promise<string> => readStart(response.body),
): Promise<HttpAnswer> {
  try {
    // A redirect would carry the token to another address.
    const response = await fetch(url, { ...init, redirect: 'manual' });
    const { status, ok, headers } = response;
    const text = ok ? read(response) : read(response).catch(() => UNREADABLE);
    return { status, ok, headers, text: await text };
  } catch (error) {
    throw error instanceof SitecastError ? error : new NoAnswerError(error);
  }
}

/**
 * Reads the first bytes of a body as text, and drops the rest unread: a compressed body of a few KB
 * may have hundreds of MB.
 */
export async function readStart(
  body: AsyncIterable<Uint8Array> | null,
  maxBytes = MAX_BYTES,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBytes));
}

/**
 * The text of an answer: the address that a redirect leads to, and its body. Leaves out the query
 * of the address, since it may hold a secret.
 */
export function saidBy(status: number, location: string | null | undefined, text: string): string {
  const isRedirect = status >= 300 && status < 400 && location;
  return [isRedirect && `Location: ${location.replace(/[?#].*/s, '')}`, text]
    .filter(Boolean)
    .join(' ');
}

/** Codes of certificates that cannot be verified, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const UNTRUSTED = /CERT|UNABLE_TO_(GET|VERIFY)/;

/**
 * A hint why no answer may have come.
 *
 * @param field the config field with the address.
 */
export function hintForNoAnswer(code: string | undefined, field: 'authUrl' | 'baseUrl'): string {
  return code !== undefined && UNTRUSTED.test(code)
    ? `The certificate is not trusted. Check ${field}, and that NODE_EXTRA_CA_CERTS names ` +
        'the file of a private CA.'
    : `Check ${field} and the network.`;
}

/** Whether the same request may succeed later: after 408, 429 and any of 5xx. */
export function isTransientStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
