import { headerOf } from '../../core/model/page-end.ts';

/** Numbers from here on are points in time: seconds since 1970 as of 2001. */
const EPOCH_SECONDS = 1e9;
/** Numbers from here on are milliseconds since 1970. */
const EPOCH_MILLISECONDS = 1e12;

/** Headers that name the end of a limit, such as `RateLimit-Reset` and `X-RateLimit-Reset-Day`. */
const RESET_HEADER = /^(?:x-)?rate-?limit-.*(?:reset|retry-after)/;

/** The same in the header `RateLimit`: `limit=9, remaining=0, reset=7` or `"default";r=0;t=7`. */
const RESET_PARAMETER = /\b(?:reset|t)=(\d+)/g;

/** An HTTP date or ISO 8601. `Date.parse` alone would read "-5" as a year. */
const DATE = /^(?:[A-Z][a-z]+,? |\d{4}-\d\d-\d\dT)/;

/**
 * Reads the wait that an answer requests: in `Retry-After`, or with a 429 in the headers that name
 * the end of a limit. Many services send these with each answer: with another status they say
 * nothing. The latest counts, since `0` or a past time belongs to a limit that was not exceeded.
 *
 * Values are seconds, seconds or milliseconds since 1970, or dates. Points in time are measured by
 * the answer's own `Date`, so that our clock does not matter.
 *
 * @param now milliseconds since 1970, for an answer without a `Date`.
 * @returns milliseconds; undefined if the answer requests no wait.
 */
export function readRetryAfter(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  now: number,
): number | undefined {
  const date = Date.parse(headerOf(headers, 'date') ?? '');
  const answeredAt = Number.isNaN(date) ? now : date;
  const requested = parseWait(headerOf(headers, 'retry-after') ?? '', answeredAt);
  if (requested !== undefined) return Math.max(0, requested);
  const resets = status === 429 ? resetsIn(headers) : [];
  const latest = Math.max(0, ...resets.map((value) => parseWait(value, answeredAt) ?? 0));
  return latest > 0 ? latest : undefined;
}

/** The values that name the end of a limit. */
function resetsIn(headers: Headers): string[] {
  const names = [...headers.keys()].filter((name) => RESET_HEADER.test(name));
  const parameters = headerOf(headers, 'ratelimit')?.matchAll(RESET_PARAMETER) ?? [];
  return [
    ...names.map((name) => headerOf(headers, name) ?? ''),
    ...Array.from(parameters, ([, seconds = '']) => seconds),
  ];
}

function parseWait(value: string, answeredAt: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number >= EPOCH_MILLISECONDS) return number - answeredAt;
    return number >= EPOCH_SECONDS ? number * 1000 - answeredAt : number * 1000;
  }
  const time = DATE.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time - answeredAt;
}
