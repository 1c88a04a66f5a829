import { reportSaturated } from '../../commit/commit-page.ts';
import { FeedReader, type FeedPage } from '../../lists/read-feed.ts';
import { entityKey, type EntityKey } from '../../model/entity-state.ts';
import { idOf, validIdOf } from '../../model/entity.ts';
import type { Feed } from '../../model/feed.ts';
import {
  earlierOf,
  isAfter,
  laterOf,
  shiftTimestamp,
  type Timestamp,
} from '../../model/timestamp.ts';
import { healPage } from './heal.ts';
import type { ListPosition, ReconcileContext, ReconciledList } from './reconcile-context.ts';

/** Ids that are remembered at once: some 10 MB. */
const MAX_SHOWN = 50_000;

/** A part of a list that was read: all entities whose version is later than `from`, and no later than `to`. */
interface ListWindow {
  /** Absent: the start of the list. */
  readonly from?: Timestamp | undefined;
  readonly to: Timestamp;
}

/** Whether a version lies in a window. */
export function isInWindow(version: Timestamp, { from, to }: ListWindow): boolean {
  return isAfter(version, from) && !isAfter(version, to);
}

/** A part of a list that was read and compared. */
export interface ReadWindow {
  /** The versions for which it is complete; absent if nobody can tell. */
  readonly window: ListWindow | undefined;
  readonly shown: ReadonlySet<EntityKey>;
  /** The id of a valid entity that was shown, by this window or one before, and not as deleted, if there was one. */
  readonly validId: string | undefined;
  /** When it began to be read, by the service's clock or ours. */
  readonly readAt: Timestamp;
  /** Where the list goes on; absent at its end. */
  readonly next: Timestamp | undefined;
}

/**
 * Reads a list without its cursor, from a position on, as far as time and memory allow, and heals what differs from
 * what is known. The feed stays as it is.
 *
 * The window ends the lookback before the list was read: what is later may be missing from a copy that lags.
 */
export async function readWindow(
  { feed, resource }: ReconciledList,
  position: ListPosition,
  context: ReconcileContext,
): Promise<ReadWindow> {
  const { run, counts } = context;
  const { lookbackMs } = run.options.paging;
  const { from, until } = position;
  const reader = new FeedReader(resource, readFrom(feed, position), run.paging);
  const shown = new Set<EntityKey>();
  let validId: string | undefined;
  for (;;) {
    const feedPage = await reader.next(run.stopping.signal);
    counts.requests += 1;
    await healPage(feedPage, { feed, resource }, context);
    reportSaturated(feed, feedPage, run.ports.telemetry);
    const { page, isLast, beganAt: readAt } = feedPage;
    counts.pages += 1;
    validId ??= validIdOf(page.entities.find(({ deleted_at }) => !deleted_at));
    for (const id of idsOn(feedPage)) shown.add(entityKey(resource.entity, id));
    const limit = shiftTimestamp(readAt, -lookbackMs);
    // A later page of the step may reach further; what lies behind the limit is judged by the next window.
    const cursor = feedPage.cursor && earlierOf(feedPage.cursor, limit);
    // Behind a window that is read again, its list goes on.
    const hasReached = cursor !== undefined && isAfter(cursor, laterOf(from, until ?? from));
    const isFull = shown.size >= MAX_SHOWN || !context.canRead();
    // One that was read with more time or requests than this step has is read again in part.
    const isCut =
      until !== undefined && !hasReached && isFull && cursor !== undefined && isAfter(cursor, from);
    const isEnd = hasReached && (until !== undefined || isFull);
    if (!isLast && !isEnd && !isCut) continue;
    // A window that is read again was counted before.
    if (until === undefined) counts.entities += shown.size;
    const to = earlierOf(limit, isLast ? until : earlierOf(cursor, until));
    return {
      window: to === undefined ? undefined : { from, to },
      shown,
      validId: validId ?? position.validId,
      readAt,
      // What a window that is read again by a clock that is behind does not reach is left to the next one.
      next: isLast && until === undefined ? undefined : laterOf(from, to),
    };
  }
}

/** The feed as if it had read its list up to here: with nothing that is known. */
function readFrom(feed: Feed, { from }: ListPosition): Feed {
  const { cursor: _, digest: __, ...rest } = feed;
  return { ...rest, ...(from !== undefined && { cursor: from }) };
}

/** Ids of all that a page shows: an invalid entity is not missing. */
function* idsOn({ page }: FeedPage): Generator<string> {
  for (const entity of page.entities) yield idOf(entity);
  for (const { value } of page.invalid) {
    const id = validIdOf(value);
    if (id !== undefined) yield id;
  }
}
