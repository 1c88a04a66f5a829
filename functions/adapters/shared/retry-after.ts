import { headerOf } from '../../core/model/page-end.ts';

/** Numbers from here on are points in time: seconds since 1970 as of 2001. */
const EPOCH_SECONDS = 1e9;
/** Numbers from here on are milliseconds since 1970. */
const EPOCH_MILLISECONDS = 1e12;

/** The common headers of a 429 besides `Retry-After`, by precedence: the spec shows none. */
const RESET_HEADERS = [
  'ratelimit-reset',
  'x-ratelimit-retry-after',
  'x-ratelimit-reset',
  'x-rate-limit-reset',
];

/**
 * Reads the wait that an answer requests: in seconds, as seconds or milliseconds since 1970, or as an HTTP
 * date. In `Retry-After`, and with a 429 in the headers that tell when its limit ends: many services send these
 * with each answer, and then they say nothing of a failure.
 *
 * @param now milliseconds since 1970.
 * @returns milliseconds, 0 when the time has passed; undefined without a valid header.
 */
export function readRetryAfter(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  now: number,
): number | undefined {
  for (const name of ['retry-after', ...(status === 429 ? RESET_HEADERS : [])]) {
    const value = headerOf(headers, name);
    const wait = value === undefined ? undefined : parseWait(value, now);
    if (wait !== undefined) return Math.max(0, wait);
  }
  return undefined;
}

function parseWait(value: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number >= EPOCH_MILLISECONDS) return number - now;
    return number >= EPOCH_SECONDS ? number * 1000 - now : number * 1000;
  }
  // An HTTP date has letters; Date.parse alone would read "-5" as a year.
  const time = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time - now;
}
