import { ProtocolError } from './errors.ts';
import { feedPath, type Feed } from './feed.ts';
import type { Page, ServiceApi } from './ports.ts';
import type { Resource } from './resources.ts';
import {
  compareTimestamps,
  laterTimestamp,
  parseTimestamp,
  shiftTimestamp,
  type Timestamp,
} from './timestamp.ts';

/** One page of a walk. */
export interface WalkedPage {
  readonly page: Page;
  /** `last_synced_at` that was sent; absent on the first request of a feed's life. */
  readonly sent?: string;
  /** How far the list is worked once this page is: the cursor to commit. */
  readonly cursor?: Timestamp;
  /** True when `X-Has-More` was false (spec, "Pagination rules", 4). */
  readonly isLast: boolean;
}

/** So many pages without an entity, each with more to come, are no list but a loop. */
const MOST_EMPTY_PAGES = 10;

/** How to walk. */
export interface WalkOptions {
  /** `Service-Per-Page`: 1 to 1000. */
  readonly perPage: number;
  /** How far before the cursor a walk starts, for entities that were committed late. */
  readonly overlapMs: number;
}

/**
 * Walks a list from the feed's cursor to its end. Follow-up requests send exactly the
 * `X-Last-Synced-At` they were given (spec, "Pagination rules", 3). The cursor to commit never goes
 * back, and an empty page does not move it.
 *
 * @throws ProtocolError when there is said to be more, but the cursor does not advance, or page after
 *   page is empty: going on would never end, and stepping over it would skip what it hides.
 */
export async function* walk(
  api: ServiceApi,
  resource: Resource,
  feed: Feed,
  options: WalkOptions,
  signal: AbortSignal,
): AsyncGenerator<WalkedPage, void, undefined> {
  let cursor = feed.cursor;
  let sent = cursor && shiftTimestamp(cursor, -options.overlapMs);
  let emptyPages = 0;
  for (;;) {
    const page = await api.fetchPage(
      {
        path: feedPath(resource, feed.projectId),
        ...(resource.query && { query: resource.query }),
        ...(sent !== undefined && { lastSyncedAt: sent }),
        perPage: options.perPage,
      },
      signal,
    );
    const next = page.lastSyncedAt ?? largestUpdatedAt(page);
    const isEmpty = page.entities.length + page.unusable.length === 0;
    emptyPages = isEmpty ? emptyPages + 1 : 0;
    cursor = furthest(cursor, workedUpTo(page));
    yield {
      page,
      ...(sent !== undefined && { sent }),
      ...(cursor !== undefined && { cursor }),
      isLast: !page.hasMore,
    };
    if (!page.hasMore) return;
    const advances = next !== undefined && isAfter(next, sent);
    if (!advances || emptyPages === MOST_EMPTY_PAGES) throw noProgress(feed, sent, page);
    sent = next;
  }
}

/**
 * How far the list is known to be worked after a page. What the header promises beyond the last
 * entity is not taken for granted: the spec shows the two equal in an example only, and a header that
 * is ahead would hide for good what is committed late. A page with nothing on it moves nothing.
 */
function workedUpTo(page: Page): Timestamp | undefined {
  const given = parseTimestamp(page.lastSyncedAt);
  const largest = largestUpdatedAt(page);
  if (largest === undefined) return page.unusable.length > 0 ? given : undefined;
  return given !== undefined && compareTimestamps(given, largest) < 0 ? given : largest;
}

function largestUpdatedAt(page: Page): Timestamp | undefined {
  return page.entities
    .map((entity) => parseTimestamp(entity.updated_at))
    .reduce(furthest, undefined);
}

function furthest(a: Timestamp | undefined, b: string | undefined): Timestamp | undefined {
  const next = parseTimestamp(b);
  return a === undefined || next === undefined ? (a ?? next) : laterTimestamp(a, next);
}

function isAfter(next: string, sent: string | undefined): boolean {
  const [a, b] = [parseTimestamp(next), parseTimestamp(sent)];
  return a !== undefined && (b === undefined || compareTimestamps(a, b) > 0);
}

function noProgress(feed: Feed, sent: string | undefined, page: Page): ProtocolError {
  return new ProtocolError(
    `${feed.id}: X-Has-More is true, but the list does not go on after last_synced_at ` +
      `${sent ?? '(none)'}: got X-Last-Synced-At ${page.lastSyncedAt ?? '(none)'} ` +
      `with ${page.entities.length} entities`,
    {
      hint: 'Nothing is skipped; the feed is tried again. Check how many entities of this list share one updated_at.',
    },
  );
}
