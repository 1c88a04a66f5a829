import { parseTimestamp } from './timestamp.ts';

/** Headers of an answer: those of `fetch` fit. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** The end of a page, by its headers (spec, "Pagination rules"). */
export interface PageEnd {
  /** `X-Has-More`. */
  readonly hasMore: boolean;
  /** `X-Last-Synced-At`; absent if it is not sent, or if the last page has no timestamp there. */
  readonly lastSyncedAt?: string;
}

/**
 * The value of a header: trimmed, and once if it is sent repeatedly with equal values (RFC 9110,
 * 5.3 and 5.5). Undefined if it is absent or empty.
 */
export function headerOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers.get(name)?.trim() ?? '';
  const [first, ...others] = value.split(',').map((each) => each.trim());
  const said = others.every((other) => other === first) ? first : value;
  return said === '' ? undefined : said;
}

/**
 * Reads the end of a page.
 *
 * - `X-Has-More` must be `true` or `false`, in any case.
 * - `X-Count` may be absent or empty. Otherwise it must be the number of entities: a truncated page
 *   would lose changes.
 * - `X-Last-Synced-At` may be absent or empty. Otherwise it must be a timestamp, but on the last
 *   page, which needs none.
 *
 * @param entityCount on the page.
 * @param broken makes the error of headers that break these rules.
 */
export function readPageEnd(
  headers: AnswerHeaders,
  entityCount: number,
  broken: (reason: string) => Error,
): PageEnd {
  const said = headerOf(headers, 'X-Has-More');
  const hasMore = said?.toLowerCase() === 'true';
  if (!hasMore && said?.toLowerCase() !== 'false') {
    throw broken(
      `X-Has-More must be true or false, got ${said === undefined ? 'nothing' : `"${said}"`}`,
    );
  }
  const count = headerOf(headers, 'X-Count');
  if (count !== undefined && Number(count) !== entityCount) {
    throw broken(
      `X-Count must be the number of entities in the body, ${entityCount}, got "${count}"`,
    );
  }
  const lastSyncedAt = headerOf(headers, 'X-Last-Synced-At');
  if (lastSyncedAt === undefined) return { hasMore };
  if (parseTimestamp(lastSyncedAt) !== undefined) return { hasMore, lastSyncedAt };
  if (!hasMore) return { hasMore };
  throw broken(`X-Last-Synced-At must be an ISO 8601 UTC timestamp, got "${lastSyncedAt}"`);
}
