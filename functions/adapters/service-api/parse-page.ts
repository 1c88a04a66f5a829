import { invalidReason, validateEntities, type Entity } from '../../core/model/entity.ts';
import type { ProtocolError } from '../../core/model/errors.ts';
import { parseJson } from '../../core/model/json/json.ts';
import { kindOf } from '../../core/model/json/quote.ts';
import { readPageEnd } from '../../core/model/page-end.ts';
import { isoTime, parseTimestamp, type Timestamp } from '../../core/model/timestamp.ts';
import type { Page } from '../../core/ports/service-api.ts';
import { describeBody } from '../shared/describe-body.ts';

/** A successful answer. */
export interface Answer {
  readonly status: number;
  /** The parsed body; null for a 204, which has none. */
  readonly value: unknown;
  readonly headers: Headers;
  /** From sending the request to the end of the answer, by our clock, in milliseconds. */
  readonly elapsedMs: number;
  /**
   * Makes the error for an answer that breaks the spec. Its reason must quote nothing of the body
   * but an error, see {@link describeBody}: entities are not for the log.
   */
  readonly broken: (reason: string) => ProtocolError;
}

/** Parses the body of an answer. @throws the error of `broken` when it is not JSON. */
export function parseBody(text: string, broken: Answer['broken']): unknown {
  try {
    return parseJson(text);
  } catch {
    throw broken(`the body must be JSON, got ${kindOf(text)}`);
  }
}

/**
 * Parses one page of a list (spec, "Pagination rules" and "Common request and response headers").
 *
 * - A 204 is an empty last page, with any headers.
 * - `X-Has-More`, `X-Count` and `X-Last-Synced-At`: see {@link readPageEnd}.
 * - `Date` (RFC 9110) is the service's time. Without a valid one the page has no `readAfter`.
 *
 * @throws ProtocolError when the answer is no page.
 */
export function readPage({ status, value, headers, elapsedMs, broken }: Answer): Page {
  if (status === 204) {
    return { entities: [], invalid: [], hasMore: false, ...readAfterOf(headers, elapsedMs) };
  }
  if (!Array.isArray(value)) {
    throw broken(`the body must be an array, got ${describeBody(value)}`);
  }
  const end = readPageEnd(headers, value.length, broken);
  return { ...validateEntities(value), ...end, ...readAfterOf(headers, elapsedMs) };
}

/**
 * The earliest time at which the service can have read the list. `Date` was written after the read
 * and at most `elapsedMs` after the request, independent of the difference of the clocks.
 */
function readAfterOf(headers: Headers, elapsedMs: number): { readonly readAfter?: Timestamp } {
  const answeredAt = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(answeredAt)) return {};
  const readAfter = parseTimestamp(isoTime(answeredAt - Math.max(0, elapsedMs)));
  return readAfter === undefined ? {} : { readAfter };
}

/**
 * Parses a single entity.
 *
 * @throws ProtocolError when the body is no entity.
 */
export function readEntity({ value, broken }: Answer): Entity {
  const reason = invalidReason(value);
  if (reason !== undefined) {
    throw broken(`the body must be an entity, got ${describeBody(value)}: ${reason}`);
  }
  return value as Entity;
}
