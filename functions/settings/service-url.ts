import * as z from 'zod/mini';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Address of the service, without slashes at its end. Tokens are sent there, so only TLS is allowed
 * outside this machine.
 *
 * @param forbiddenEnd the end that its path must not have.
 * @param withoutEnd the same in words, with the reason.
 */
export function serviceUrl(forbiddenEnd: RegExp, withoutEnd: string) {
  const error = `an https URL (http for localhost only) without user, query, fragment, white space, backslash and ${withoutEnd}`;
  const schema = z
    .string({ error })
    .check(z.refine((text) => isServiceUrl(text, forbiddenEnd), { error }));
  return z.pipe(
    schema,
    z.transform((url) => url.replace(/\/+$/, '')),
  );
}

function isServiceUrl(text: string, forbiddenEnd: RegExp): boolean {
  const url = URL.parse(text);
  // URL.parse drops white space and turns backslashes into slashes; concatenation does not.
  if (url === null || /[?#\s\\\p{Cc}]/u.test(text)) return false;
  if (url.username !== '' || url.password !== '' || forbiddenEnd.test(url.pathname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}
