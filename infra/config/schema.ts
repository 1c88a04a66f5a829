import * as z from 'zod';

// A schema's `error` is always the text that follows "allowed: " in the message.

/** A whole number. */
export function whole(min: number, max: number, unit: string) {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

/** Text that a pattern matches. */
export function matching(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

/** One of a few words. */
export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: values.map((value) => `"${value}"`).join(' or ') });
}

/** An object with these fields and no others. */
export function fields<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, { error: `the fields ${Object.keys(shape).join(', ')}` });
}

/** A list of such items. */
export function list<T extends z.ZodType>(item: T, error: string) {
  return z.array(item, { error });
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Address of the service. Tokens are sent there, so only TLS will do outside this machine.
 *
 * @param end what the path must not end in.
 * @param endInWords the same for the message, with the reason.
 */
export function serviceUrl(end: RegExp, endInWords: string) {
  const error = `an https URL (http for localhost only) without user, query, fragment, white space, backslash and ${endInWords}`;
  return z
    .string({ error })
    .refine((text) => isServiceUrl(text, end), { error })
    .transform((url) => url.replace(/\/+$/, ''));
}

function isServiceUrl(text: string, end: RegExp): boolean {
  const url = URL.parse(text);
  // URL.parse drops white space and turns backslashes round; what is put together later does not.
  if (url === null || /[?#\s\\\p{Cc}]/u.test(text)) return false;
  if (url.username !== '' || url.password !== '' || end.test(url.pathname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname));
}
