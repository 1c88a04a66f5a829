import { reportSaturated } from '../../commit/commit-page.ts';
import { entityKey, type EntityKey } from '../../model/entity-state.ts';
import { idOf, validIdOf } from '../../model/entity.ts';
import type { Feed } from '../../model/feed.ts';
import {
  earlierOf,
  isAfter,
  laterOf,
  latestOf,
  shiftTimestamp,
  toCanonical,
  toTimestamp,
  type Timestamp,
} from '../../model/timestamp.ts';
import type { FeedPage } from '../../paging/feed-page.ts';
import { Paginator } from '../../paging/paginator.ts';
import type { Page } from '../../ports/service-api.ts';
import type { RunContext } from '../run-context.ts';
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
  /** When it was read, by the service's clock. */
  readonly readAt: Timestamp | undefined;
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
  const paginator = new Paginator(resource, readFrom(feed, position, lookbackMs), run.paging);
  const shown = new Set<EntityKey>();
  let readAt: Timestamp | undefined;
  let latest: Timestamp | undefined;
  let validId: string | undefined;
  for (;;) {
    const feedPage = await paginator.next(run.stopping.signal);
    counts.requests += 1;
    try {
      await healPage(feedPage, { feed, resource }, context);
    } finally {
      feedPage.reservation.release();
    }
    reportSaturated(feed, feedPage, run.ports.telemetry);
    const { page, isLast } = feedPage;
    counts.pages += 1;
    readAt = earlierOf(readAt, page.readAfter);
    latest = laterOf(latest, latestPastOn(page, run));
    validId ??= validIdOf(page.entities.find(({ deleted_at }) => !deleted_at));
    for (const id of idsOn(feedPage)) shown.add(entityKey(resource.entity, id));
    // Without the service's clock the latest change replaces it, unless that is dated ahead of ours.
    const settled = readAt ?? (latest && earlierOf(latest, toTimestamp(run.ports.clock.now())));
    const limit = settled && shiftTimestamp(settled, -lookbackMs);
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
      window: limit === undefined || to === undefined ? undefined : { from, to },
      shown,
      validId: validId ?? position.validId,
      readAt,
      // What a window that is read again by a clock that is behind does not reach is left to the next one.
      next: isLast && until === undefined ? undefined : laterOf(from, to),
    };
  }
}

/** The latest change that does not lie in the future, see {@link ServiceTime.isFuture}. */
function latestPastOn(page: Page, { paging }: RunContext): Timestamp | undefined {
  const times = page.entities.map(({ updated_at }) => toCanonical(updated_at));
  return latestOf(times.filter((time) => !paging.serviceTime.isFuture(time, page)));
}

/** The feed as if it had read its list up to here: with nothing that is known. */
function readFrom(feed: Feed, { from, slowReads = 0 }: ListPosition, lookbackMs: number): Feed {
  const { cursor: _, digest: __, ...rest } = feed;
  const slowPolls = (feed.slowPolls ?? 0) + slowReads;
  const slowFailures = slowReads;
  return {
    ...rest,
    lookbackMs,
    slowPolls,
    slowFailures,
    ...(from !== undefined && { cursor: from }),
  };
}

/** Ids of all that a page shows: an invalid entity is not missing. */
function* idsOn({ page }: FeedPage): Generator<string> {
  for (const entity of page.entities) yield idOf(entity);
  for (const { value } of page.invalid) {
    const id = validIdOf(value);
    if (id !== undefined) yield id;
  }
}
