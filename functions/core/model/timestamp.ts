/**
 * A time in canonical form: ISO 8601, UTC, three to nine digits of a second. Compare with
 * {@link compareTimestamps}. Source: spec, "Resources and their fields".
 */
export type Timestamp = string;

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

const ISO_8601_UTC = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(?:Z|[+-]00:?00)$/;

/** The form of nearly every timestamp: canonical, and on a day that every month has. */
const PLAIN =
  /^[12]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** Length of a canonical timestamp up to its milliseconds. */
const MILLISECONDS_END = 'YYYY-MM-DDTHH:mm:ss.fff'.length;

/** The first and the last time whose year has four digits: shifted times stay between them. */
const EARLIEST: Timestamp = '0000-01-01T00:00:00.000Z';
const LATEST: Timestamp = '9999-12-31T23:59:59.999999999Z';

/**
 * Brings a timestamp into canonical form. Digits finer than the spec's milliseconds are kept:
 * cutting them would make two versions look the same.
 *
 * @returns undefined when the text is not a UTC timestamp.
 */
export function parseTimestamp(text: unknown): Timestamp | undefined {
  if (typeof text !== 'string') return undefined;
  if (PLAIN.test(text)) return text;
  const match = ISO_8601_UTC.exec(text);
  if (match?.[1] === undefined) return undefined;
  // Date reads 30 February as 2 March, which as text would order before 1 March.
  const day = new Date(`${match[1]}Z`).getUTCDate();
  if (day !== Number(text.slice(8, 10))) return undefined;
  const fraction = (match[2] ?? '').replace(/0+$/, '').padEnd(3, '0');
  return `${match[1]}.${fraction}Z`;
}

/**
 * The canonical form of a validated timestamp.
 *
 * @throws TypeError when the text turns out to be no timestamp.
 */
export function toCanonical(text: string): Timestamp {
  // No other form of a timestamp has this length and end.
  if (text.length === 24 && text.endsWith('Z')) return text;
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw new TypeError(`${text} was validated but is no timestamp`);
  return timestamp;
}

/** Orders two timestamps: negative, zero or positive as for `Array.prototype.sort`. */
export function compareTimestamps(a: Timestamp, b: Timestamp): number {
  if (a === b) return 0;
  if (a.length === b.length) return a < b ? -1 : 1;
  // Without the Z, a longer fraction sorts after its prefix.
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
}

/** Whether a timestamp is later than another; every one is later than undefined. */
export function isAfter(time: Timestamp, other: Timestamp | undefined): boolean {
  return other === undefined || compareTimestamps(time, other) > 0;
}

/** The later of two timestamps; undefined counts as absent. */
export function laterOf<A extends Timestamp | undefined, B extends Timestamp | undefined>(
  a: A,
  b: B,
): A | B {
  return a === undefined || (b !== undefined && isAfter(b, a)) ? b : a;
}

/** The earlier of two timestamps; undefined counts as absent. */
export function earlierOf<A extends Timestamp | undefined, B extends Timestamp | undefined>(
  a: A,
  b: B,
): A | B {
  return a === undefined || (b !== undefined && isAfter(a, b)) ? b : a;
}

/** The latest of all; undefined when there are none. */
export function latestOf(times: readonly Timestamp[]): Timestamp | undefined {
  return times.reduce<Timestamp | undefined>(laterOf, undefined);
}

/** The earliest of all; undefined when there are none. */
export function earliestOf(times: readonly Timestamp[]): Timestamp | undefined {
  return times.reduce<Timestamp | undefined>(earlierOf, undefined);
}

/** The timestamp with nine digits of a second: texts of one width order as timestamps do. */
export function toFixedWidth(timestamp: Timestamp): string {
  return `${timestamp.slice(0, -1).padEnd('YYYY-MM-DDTHH:mm:ss.fffffffff'.length, '0')}Z`;
}

/** The timestamp of a time by our clock, milliseconds since 1970. */
export function isoTime(milliseconds: number): Timestamp {
  return new Date(milliseconds).toISOString();
}

/** The timestamp some milliseconds later, or earlier when negative, cut down to milliseconds. */
export function shiftTimestamp(timestamp: Timestamp, milliseconds: number): Timestamp {
  const time = Math.max(Date.parse(timestamp) + milliseconds, Date.parse(EARLIEST));
  return time > Date.parse(LATEST) ? LATEST : isoTime(time);
}

/** The timestamp some nanoseconds later, or earlier when negative. */
export function shiftNanoseconds(timestamp: Timestamp, nanoseconds: number): Timestamp {
  const finer = Number(timestamp.slice(MILLISECONDS_END, -1).padEnd(6, '0')) + nanoseconds;
  const milliseconds = Math.floor(finer / 1e6);
  const time = shiftTimestamp(`${timestamp.slice(0, MILLISECONDS_END)}Z`, milliseconds);
  if (time === LATEST) return time;
  const rest = String(finer - milliseconds * 1e6).padStart(6, '0');
  return `${time.slice(0, -1)}${rest.replace(/0+$/, '')}Z`;
}
