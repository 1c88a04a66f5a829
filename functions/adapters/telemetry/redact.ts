/** What is told besides a message. */
export type Fields = Readonly<Record<string, unknown>>;

const REDACTED = '[redacted]';

/** What secrets are called, alone or at the end of a longer name. */
const NAMES =
  'authorization|cookies?|passwords?|secrets?|secret[-_]?strings?|tokens?|jwts?' +
  '|(?:access|api|private|secret|session)[-_]?keys?';
/** Names of fields and headers whose value is never written. */
const SECRET_NAME = new RegExp(`(?:${NAMES})$`, 'i');
/** Such a name followed by `=`, or by `:` with quotes before or behind: no word of a sentence. */
const ASSIGNED = String.raw`(?:${NAMES})(?:\\*["']\s*[:=]|\s*=|\s*:(?=\s*\\*["']))\s*`;
/** Such a name as a whole word, as headers have it; not the `:secret:` in an ARN. */
const HEADER = String.raw`(?<![a-z]|\d:)(?:${NAMES})\s*:\s*`;
/** An ARN may name a secret, but is none. */
const NO_SECRET = String.raw`(?!\\*["']?arn:aws|\[redacted\])`;
const WORD = String.raw`[^\s"'\\,;&}]+`;
/** To the closing quote, which is escaped as often as the opening one, or to a closing bracket. */
const QUOTED = String.raw`(\\*["'])(?:(?!(?<!\\)\2)[^])+`;
const BRACKETED = String.raw`([[{])[^\]}]+`;

/** What gives a secret away in the middle of a text, and what is written instead. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  // Their schemes and lists know many separators: the rest of the line goes.
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

/** Longest text that is written; what is longer is no message but a whole answer. */
const LONGEST_TEXT = 4_000;

/** How deep values and causes are followed. Deeper than any error we know; ends circles. */
const DEEPEST = 8;

/** A text without what gives a secret away, cut to what a message may be long. */
export function redactText(text: string): string {
  const safe = SECRET_TEXT.reduce((rest, [secret, instead]) => rest.replace(secret, instead), text);
  return safe.length <= LONGEST_TEXT ? safe : `${safe.slice(0, LONGEST_TEXT)}…`;
}

/** A copy of fields that is safe to write, see {@link redact}. */
export function redactFields(fields: Fields): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

/**
 * A copy of a value that is safe to write: secrets replaced by name and by look, errors reduced to
 * what {@link describeError} lists, circles cut.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[…]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) return redactList(value, depth);
  if (value instanceof Map || value instanceof Headers) return redactEntries([...value], depth);
  if (value instanceof Set) return [...value].map((item) => redact(item, depth + 1));
  if (value instanceof Date || value instanceof URL) return redact(value.toJSON(), depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return redactEntries(Object.entries(value), depth);
}

/** Raw headers and pairs are lists in which a secret follows its name. */
function redactList(list: readonly unknown[], depth: number): unknown[] {
  return list.map((item, index) => redactNamed(list[index - 1], item, depth));
}

function redactNamed(name: unknown, value: unknown, depth: number): unknown {
  const isSecret = typeof name === 'string' && SECRET_NAME.test(name) && !isArn(value);
  return isSecret ? REDACTED : redact(value, depth + 1);
}

function isArn(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('arn:aws');
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
 * What is written of an error. A list of what may be, not of what may not: client libraries hang
 * whole requests, with their headers, on their errors.
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
      // The frames alone: the message above them may hold anything and stands in its own field.
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
 * An error in place of one that is to leave the process: its name, message and frames without
 * secrets, and nothing else. Its cause, and what libraries hang on it, stay behind.
 */
export function safeError(thrown: unknown): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const safe = new Error(redactText(error.message));
  // As those of a class: listed, it would be an extra field in Lambda's log.
  Object.defineProperty(safe, 'name', { value: redactText(error.name) });
  safe.stack = [`${safe.name}: ${safe.message}`, ...(framesOf(error) ?? []).map(redactText)].join(
    '\n',
  );
  return safe;
}
