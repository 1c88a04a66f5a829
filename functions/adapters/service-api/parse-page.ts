import { invalidReason, validateEntities, type Entity } from '../../core/model/entity.ts';
import type { ProtocolError } from '../../core/model/errors.ts';
import { kindOf } from '../../core/model/quote.ts';
import { parseTimestamp, toTimestamp, type Timestamp } from '../../core/model/timestamp.ts';
import type { Page } from '../../core/ports/service-api.ts';

/** A successful answer with a JSON body. */
export interface Answer {
  /** The parsed body. */
  readonly value: unknown;
  readonly headers: Headers;
  /** From sending the request to the end of the answer, by our clock, in milliseconds. */
  readonly elapsedMs: number;
  /**
   * Makes the error for an answer that breaks the spec. `reason` must quote values whole: a secret is
   * redacted only if it was not cut. It must quote nothing of the body, whose start the error holds apart.
   */
  readonly broken: (reason: string) => ProtocolError;
}

/**
 * Parses one page of a list (spec, "Pagination rules" and "Common request and response headers").
 *
 * - `X-Has-More` must be `true` or `false`, in any case.
 * - `X-Count` may be absent. Otherwise it must be the length of the array, since a truncated page would
 *   lose changes.
 * - `X-Last-Synced-At` may be absent or empty. Otherwise it must be a timestamp.
 * - `Date` (RFC 9110) is the service's time. Without a valid one the page has no `readAfter`.
 *
 * @throws ProtocolError when the answer is no page.
 */
export function readPage({ value, headers, elapsedMs, broken }: Answer): Page {
  if (!Array.isArray(value)) {
    throw broken(`the body must be an array, got ${kindOf(value)}`);
  }
  const hasMore = headers.get('x-has-more');
  if (hasMore === null || !/^(true|false)$/i.test(hasMore)) {
    throw broken(
      `X-Has-More must be true or false, got ${hasMore === null ? 'nothing' : `"${hasMore}"`}`,
    );
  }
  const count = headers.get('x-count');
  if (count !== null && Number(count) !== value.length) {
    throw broken(
      `X-Count must be the number of entities in the body, ${value.length}, got "${count}"`,
    );
  }
  const lastSyncedAt = headers.get('x-last-synced-at') ?? '';
  if (lastSyncedAt !== '' && parseTimestamp(lastSyncedAt) === undefined) {
    throw broken(`X-Last-Synced-At must be an ISO 8601 UTC timestamp, got "${lastSyncedAt}"`);
  }
  const readAfter = earliestReadTime(headers.get('date'), elapsedMs);
  return {
    ...validateEntities(value),
    hasMore: hasMore.toLowerCase() === 'true',
    ...(lastSyncedAt !== '' && { lastSyncedAt }),
    ...(readAfter !== undefined && { readAfter }),
  };
}

/**
 * The earliest time at which the service can have read the list. `Date` was written after the read and
 * at most `elapsedMs` after the request, independent of the difference of the clocks.
 */
function earliestReadTime(date: string | null, elapsedMs: number): Timestamp | undefined {
  const answeredAt = Date.parse(date ?? '');
  return Number.isNaN(answeredAt) ? undefined : toTimestamp(answeredAt - Math.max(0, elapsedMs));
}

/**
 * Parses a single entity.
 *
 * @throws ProtocolError when the body is no entity.
 */
export function readEntity({ value, broken }: Answer): Entity {
  const reason = invalidReason(value);
  if (reason !== undefined) throw broken(`the body is no entity: ${reason}`);
  return value as Entity;
}
