/** Values that are logged with a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** Stands in place of a secret. */
export const REDACTED = '[redacted]';

/** Names of secrets, alone or at the end of a longer name. */
const NAMES =
  'authorization|cookies?|passwords?|secrets?|secret[-_]?strings?|tokens?|jwts?' +
  '|(?:access|api|private|secret|session)[-_]?keys?';
/** Names of fields and headers whose value is never written. */
const SECRET_NAME = new RegExp(`(?:${NAMES})$`, 'i');
/**
 * The name with `=`, or quoted with `:` (it may then be longer), or with `:` and a quoted value.
 */
const ASSIGNED = String.raw`(?:${NAMES})(?:[\w-]{0,128}\\*["']\s*[:=]|\s*=|\s*:(?=\s*\\*["']))\s*`;
/** The name as a whole word, as in headers; not the `:secret:` in an ARN. */
const HEADER = String.raw`(?<![a-z]|\d:)(?:${NAMES})\s*:\s*`;
/** An ARN may name a secret, but is none. */
const NO_SECRET = String.raw`(?!\\*["']?arn:aws[\w-]*:|\[redacted\])`;
const WORD = String.raw`[^\s"'\\,;&}]+`;
/** To the closing quote, which is escaped as often as the opening one, or to a closing bracket. */
const QUOTED = String.raw`(\\*["'])(?:(?!(?<!\\)\2)[^])+`;
const BRACKETED = String.raw`([[{])[^\]}]+`;

/** Secrets in the middle of a text, and their replacements. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  // Authorization and cookie values contain separators, so the rest of the line is redacted.
  [/((?<![a-z])(?:authorization|cookies?)\s*[:=]\s*)(?!\s*\\*["']).+/gi, `$1${REDACTED}`],
  [
    new RegExp(`(${ASSIGNED})${NO_SECRET}(?:${QUOTED}|${BRACKETED}|${WORD})`, 'gi'),
    `$1$2$3${REDACTED}`,
  ],
  [new RegExp(`(${HEADER})${NO_SECRET}${WORD}`, 'gi'), `$1${REDACTED}`],
  [/\b(bearer\s+)[^\s"'\\;&}]+/gi, `$1${REDACTED}`],
  // Unlike "basic authentication", credentials in base64 have capitals, digits or signs.
  [/\b([Bb]asic\s+)(?=[\w-]*[A-Z\d+/=])[\w+/=-]+/g, `$1${REDACTED}`],
  // A JSON Web Token starts with {" in base64.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, REDACTED],
  // User and password in a URL.
  [/(\/\/)[^/\s@]+@/g, `$1${REDACTED}@`],
];

/** Longest text that is written: a longer text is a whole answer rather than a message. */
const MAX_TEXT_LENGTH = 4_000;
/** Depth to which values and causes are followed: more than any known error has. Ends circles. */
const MAX_DEPTH = 8;

/** A text without secrets, cut to the longest text that is written. */
export function redactText(text: string): string {
  const safe = SECRET_TEXT.reduce(
    (redacted, [secret, replacement]) => redacted.replace(secret, replacement),
    text,
  );
  return safe.length <= MAX_TEXT_LENGTH ? safe : `${safe.slice(0, MAX_TEXT_LENGTH)}…`;
}

/** {@link redact} for the fields of a log entry. */
export function redactFields(fields: Fields): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

/**
 * A copy of a value that is safe to write: without secrets, found by name and by look, without
 * circles, and errors as {@link describeError} lists them.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[…]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) return redactList(value, depth);
  if (value instanceof Map || value instanceof Headers) return redactEntries([...value], depth);
  if (value instanceof Set) return [...value].map((item) => redact(item, depth + 1));
  if (value instanceof Date || value instanceof URL) return redact(value.toJSON(), depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return redactEntries(Object.entries(value), depth);
}

/** In raw headers and pairs a secret follows its name. */
function redactList(list: readonly unknown[], depth: number): unknown[] {
  return list.map((item, index) => redactNamed(list[index - 1], item, depth));
}

function redactNamed(name: unknown, value: unknown, depth: number): unknown {
  const isSecret = typeof name === 'string' && SECRET_NAME.test(name) && !isArn(value);
  return isSecret ? REDACTED : redact(value, depth + 1);
}

function isArn(value: unknown): boolean {
  return typeof value === 'string' && /^arn:aws[\w-]*:/.test(value);
}

function redactEntries(
  entries: readonly (readonly [unknown, unknown])[],
  depth: number,
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const name = redactText(String(key));
      return [name, redactNamed(name, value, depth)];
    }),
  );
}

/**
 * The fields of an error that are written. Client libraries attach whole requests to their errors.
 */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const { hint, status, code, $metadata, errors } = error as Error & Record<string, unknown>;
  return redactEntries(
    Object.entries({
      name: error.name,
      message: error.message,
      hint,
      status,
      code,
      $metadata,
      // The frames only: the message is a field of its own.
      stack: framesOf(error),
      cause: error.cause,
      errors,
    }).filter(([, value]) => value !== undefined),
    depth,
  );
}

function framesOf(error: Error): string[] | undefined {
  return error.stack?.split('\n').filter((line) => /^ +at /.test(line));
}

/**
 * Replaces an error that leaves the process: name, message and frames without secrets. Leaves out
 * its cause and the fields that a library attached.
 */
export function safeError(thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const safe = new Error(redactText(error.message));
  // Not enumerable: it would be an extra field in Lambda's log.
  Object.defineProperty(safe, 'name', { value: redactText(error.name) });
  safe.stack = [`${safe.name}: ${safe.message}`, ...(framesOf(error) ?? []).map(redactText)].join(
    '\n',
  );
  return safe;
}
