import { validateEntities, invalidReason } from '../../core/model/entity.ts';
import type { Entity } from '../../core/model/entity.ts';
import type { ProtocolError } from '../../core/model/errors.ts';
import type { Page } from '../../core/ports/service-api.ts';
import { parseTimestamp, toTimestamp, type Timestamp } from '../../core/model/timestamp.ts';

/** A successful answer whose body was JSON. */
export interface Answer {
  /** The parsed body. */
  readonly value: unknown;
  readonly headers: Headers;
  /** From sending the request to the end of the answer, by our clock, in milliseconds. */
  readonly elapsedMs: number;
  /**
   * The error to throw when the answer breaks the spec. The reason quotes the answer uncut: only whole
   * secrets are found and removed.
   */
  readonly broken: (reason: string) => ProtocolError;
}

/**
 * Reads one page of a list (spec, "Pagination rules" and "Common request and response headers").
 *
 * - `X-Has-More` must be `true` or `false`, in any case.
 * - `X-Count` may be absent. If present it must be the length of the array: another number says that
 *   the page was cut or mixed up on its way, and working a cut page would lose changes.
 * - `X-Last-Synced-At` may be absent or empty. If present it must be a timestamp.
 * - `Date` (RFC 9110) tells the service's time. Without a usable one the page has no `readAfter`.
 *
 * @throws ProtocolError when the answer is no page.
 */
export function readPage({ value, headers, elapsedMs, broken }: Answer): Page {
  if (!Array.isArray(value)) {
    throw broken(`the body must be an array, got ${JSON.stringify(value)}`);
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
  const readAfter = readNotBefore(headers.get('date'), elapsedMs);
  return {
    ...validateEntities(value),
    hasMore: hasMore.toLowerCase() === 'true',
    ...(lastSyncedAt !== '' && { lastSyncedAt }),
    ...(readAfter !== undefined && { readAfter }),
  };
}

/**
 * The list was read after the request was sent, and the date was written when the answer was: less
 * the time both took it is surely not too late, whatever the difference of the clocks.
 */
function readNotBefore(date: string | null, elapsedMs: number): Timestamp | undefined {
  const written = Date.parse(date ?? '');
  return Number.isNaN(written) ? undefined : toTimestamp(written - Math.max(0, elapsedMs));
}

/**
 * Reads a single entity.
 *
 * @throws ProtocolError when the body is none.
 */
export function readEntity({ value, broken }: Answer): Entity {
  const reason = invalidReason(value);
  if (reason !== undefined) throw broken(`the body is no entity: ${reason}`);
  return value as Entity;
}
