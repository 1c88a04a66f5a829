import * as z from 'zod/mini';

// A schema's `error` is always the text that follows "allowed: " in the message.

/** Text of which something holds. */
export function text(allowed: string, ok: (value: string) => boolean) {
  return z.string({ error: allowed }).check(z.refine(ok, { error: allowed }));
}

/** Text that a pattern matches. */
export function matching(pattern: RegExp, allowed: string) {
  return text(allowed, (value) => pattern.test(value));
}

/** One of a few words. */
export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: values.map((value) => `"${value}"`).join(' or ') });
}

/** A whole number, written in digits. */
export function whole(min: number, max: number, unit: string) {
  const schema = text(
    `a whole number of ${unit} from ${min} to ${max}`,
    (value) => /^\d+$/.test(value) && Number(value) >= min && Number(value) <= max,
  );
  return z.pipe(schema, z.transform(Number));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Address of the service. Tokens are sent there, so only TLS will do outside this machine.
 *
 * @param end what the path must not end in.
 * @param endInWords the same for the message, with the reason.
 */
export function serviceUrl(end: RegExp, endInWords: string) {
  const schema = text(
    `an https URL (http for localhost only) without user, query, fragment, white space, backslash and ${endInWords}`,
    (value) => isServiceUrl(value, end),
  );
  return z.pipe(
    schema,
    z.transform((url) => url.replace(/\/+$/, '')),
  );
}

function isServiceUrl(value: string, end: RegExp): boolean {
  const url = URL.parse(value);
  // URL.parse drops white space and turns backslashes round; what is put together later does not.
  if (url === null || /[?#\s\\\p{Cc}]/u.test(value)) return false;
  if (url.username !== '' || url.password !== '' || end.test(url.pathname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}
