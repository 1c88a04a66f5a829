/**
 * A point in time as the service writes it: ISO 8601, UTC, milliseconds (spec, "Resources and
 * their fields"), in canonical form. Canonical timestamps are compared with {@link compareTimestamps}
 * and, at the spec's precision, order as text too.
 */
export type Timestamp = string;

const ISO_8601_UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|[+-]00:?00)$/;

/** Years in which every timestamp still has four digits when it is moved by a little. */
const [FIRST_YEAR, LAST_YEAR] = [2, 9998];

/**
 * Brings a timestamp into canonical form: `Z`, at least three digits of a second. Digits finer than
 * the spec's milliseconds are kept, since cutting them would make two versions look the same.
 *
 * @returns the canonical timestamp, or undefined when the text is not a UTC timestamp.
 */
export function parseTimestamp(text: unknown): Timestamp | undefined {
  if (typeof text !== 'string') return undefined;
  // Several times for each entity of a page: this alone would be most of the work on it.
  if (isPlainlyCanonical(text)) return text;
  const match = ISO_8601_UTC.exec(text);
  if (match?.[1] === undefined) return undefined;
  // The 30th of February is read as the 2nd of March: in text it would stand before the 1st.
  const day = new Date(`${match[1]}Z`).getUTCDate();
  if (day !== Number(text.slice(8, 10))) return undefined;
  const year = Number(text.slice(0, 4));
  if (year < FIRST_YEAR || year > LAST_YEAR) return undefined;
  const fraction = (match[2] ?? '').replace(/0+$/, '').padEnd(3, '0');
  return `${match[1]}.${fraction}Z`;
}

/**
 * The canonical form of a timestamp that is known to be one, for less than {@link parseTimestamp} takes.
 *
 * @throws TypeError when it is none after all, if that is seen.
 */
export function toCanonical(timestamp: string): Timestamp {
  // No other form of one has this length and this end.
  if (timestamp.length === 24 && timestamp.endsWith('Z')) return timestamp;
  const parsed = parseTimestamp(timestamp);
  if (parsed === undefined) throw new TypeError(`${timestamp} passed the door but is no timestamp`);
  return parsed;
}

/**
 * Whether a text is a timestamp just as the service writes it: in canonical form, in this millennium or
 * the one before, and on a day that every month has. Others need a closer look.
 */
function isPlainlyCanonical(text: string): boolean {
  return (
    text.length === 24 &&
    isBetween(10, twoDigits(text, 0), 29) &&
    twoDigits(text, 2) >= 0 &&
    text[4] === '-' &&
    isBetween(1, twoDigits(text, 5), 12) &&
    text[7] === '-' &&
    isBetween(1, twoDigits(text, 8), 28) &&
    text[10] === 'T' &&
    isBetween(0, twoDigits(text, 11), 23) &&
    text[13] === ':' &&
    isBetween(0, twoDigits(text, 14), 59) &&
    text[16] === ':' &&
    isBetween(0, twoDigits(text, 17), 59) &&
    text[19] === '.' &&
    twoDigits(text, 20) >= 0 &&
    twoDigits(text, 21) >= 0 &&
    text[23] === 'Z'
  );
}

function isBetween(least: number, value: number, most: number): boolean {
  return value >= least && value <= most;
}

/** The number that two digits make; -1 when they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

/** Orders two canonical timestamps: negative, zero or positive as for `Array.prototype.sort`. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  if (a === b) return 0;
  if (a.length === b.length) return a < b ? -1 : 1;
  // Without the Z a longer fraction sorts after its prefix, as it should.
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
}

/**
 * A canonical timestamp with nine digits of a second, the most that one has: texts of one width, which
 * order as the timestamps do.
 */
export function toFixedWidth(timestamp: Timestamp): string {
  const digits = timestamp.slice(0, -1);
  // Of nearly all.
  if (digits.length === 'YYYY-MM-DDTHH:mm:ss.fff'.length) return `${digits}000000Z`;
  return `${digits.padEnd('YYYY-MM-DDTHH:mm:ss.fffffffff'.length, '0')}Z`;
}

/** The later of two canonical timestamps; the one there is when the other is undefined. */
export function laterOf<A extends Timestamp | undefined, B extends Timestamp | undefined>(
  a: A,
  b: B,
): A | B {
  if (a === undefined || b === undefined) return a ?? b;
  return compareTimestamps(a, b) >= 0 ? a : b;
}

/** The earlier of two canonical timestamps; the one there is when the other is undefined. */
export function earlierOf<A extends Timestamp | undefined, B extends Timestamp | undefined>(
  a: A,
  b: B,
): A | B {
  if (a === undefined || b === undefined) return a ?? b;
  return compareTimestamps(a, b) <= 0 ? a : b;
}

/** The latest of canonical timestamps; undefined when there are none. */
export function latestOf(times: readonly Timestamp[]): Timestamp | undefined {
  let latest: Timestamp | undefined;
  for (const time of times) if (isAfter(time, latest)) latest = time;
  return latest;
}

/** Whether a canonical timestamp is later than another one; any is later than none. */
export function isAfter(time: Timestamp, other: Timestamp | undefined): boolean {
  return other === undefined || compareTimestamps(time, other) > 0;
}

/** The canonical timestamp of a time in milliseconds since 1970; undefined outside the years it has. */
export function toTimestamp(milliseconds: number): Timestamp | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : parseTimestamp(date.toISOString());
}

/** The canonical timestamp some milliseconds later, or earlier when negative. */
export function shiftTimestamp(timestamp: Timestamp, milliseconds: number): Timestamp {
  return new Date(Date.parse(timestamp) + milliseconds).toISOString();
}
