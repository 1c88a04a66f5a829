import * as z from 'zod/mini';
import { text } from './field-types.ts';

const HTTPS_OR_LOCAL = 'an https URL (http for localhost only)';
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine: nothing outside of it can be reached there. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Address of the service, without slashes at its end. Tokens are sent there, so only TLS is allowed
 * outside this machine.
 *
 * @param forbiddenEnd the end that its path must not have.
 * @param withoutEnd the same in words, with the reason.
 */
export function serviceUrl(forbiddenEnd: RegExp, withoutEnd: string) {
  const schema = text(HTTPS_OR_LOCAL).check(
    z.superRefine((address, context) => {
      const message = serviceUrlProblem(address, forbiddenEnd, withoutEnd);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  );
  return z.pipe(
    schema,
    z.transform((url) => url.replace(/\/+$/, '')),
  );
}

function serviceUrlProblem(
  address: string,
  forbiddenEnd: RegExp,
  withoutEnd: string,
): string | undefined {
  const url = URL.parse(address);
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!isAllowed) return HTTPS_OR_LOCAL;
  if (address.includes('?')) return 'an https URL without query (?)';
  return (
    urlProblem(address) ?? (forbiddenEnd.test(url.pathname) ? `without ${withoutEnd}` : undefined)
  );
}

/** An https address without credentials. */
export function httpsUrl(error: string) {
  return text(error).check(
    z.superRefine((address, context) => {
      const isHttps = URL.parse(address)?.protocol === 'https:';
      const message = isHttps ? urlProblem(address) : error;
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  );
}

/** The form that a URL must have and has not; undefined if nothing is wrong. */
export function urlProblem(address: string): string | undefined {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  // URL.parse drops white space and turns backslashes into slashes; others do not.
  if (/[\s\p{Cc}]/u.test(address)) return 'a URL without white space and control characters';
  if (address.includes('\\')) return 'a URL with / instead of backslashes';
  if (address.includes('#')) return 'a URL without fragment (#)';
  if (username !== '' || password !== '') return 'a URL without user and password';
  return undefined;
}

/**
 * The form that the URL of a webhook must have and has not; undefined if nothing is wrong. The
 * address of its host is checked before each connection.
 */
export function webhookUrlProblem(endpoint: string, allowPrivate: boolean): string | undefined {
  const { protocol = '', hostname = '' } = URL.parse(endpoint) ?? {};
  const isLocal = allowPrivate && protocol === 'http:' && isLoopback(hostname);
  if (protocol === 'https:' || isLocal) return urlProblem(endpoint);
  return allowPrivate ? HTTPS_OR_LOCAL : 'an https URL';
}
