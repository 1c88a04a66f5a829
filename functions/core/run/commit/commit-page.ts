import { detectChanges, type DetectOptions } from '../../changes/detect-changes.ts';
import type { PageChanges } from '../../changes/page/page-changes.ts';
import type { EventContext } from '../../events/make-event.ts';
import { afterPage } from '../../feeds/feed-lifecycle.ts';
import type { Feed } from '../../model/feed.ts';
import type { Resource } from '../../model/resource-catalog.ts';
import {
  earlierOf,
  isoTime,
  laterOf,
  latestOf,
  shiftTimestamp,
  type Timestamp,
} from '../../model/timestamp.ts';
import type { FeedPage } from '../../paging/feed-page.ts';
import type { Page } from '../../ports/service-api.ts';
import type { Telemetry } from '../../ports/telemetry.ts';
import type { RunContext, SweepContext } from '../run-context.ts';
import { eventMakerOf } from './event-maker.ts';
import { publishAndSave } from './publish-and-save.ts';

/** No list shows its times in a coarser unit. */
const COARSEST_UNIT_MS = 1_000;

/**
 * Detects the changes on a page, publishes and saves them part by part, and advances the feed's cursor.
 *
 * @param readAgainFrom version on a page before this one that the cursor must not pass, if there is one.
 * @returns the earliest one up to this page.
 */
export async function commitPage(
  id: string,
  feedPage: FeedPage,
  resource: Resource,
  context: SweepContext,
  readAgainFrom: Timestamp | undefined,
): Promise<Timestamp | undefined> {
  const { run, queue } = context;
  const feed = run.registry.get(id);
  const { page, requestedCursor } = feedPage;
  const onDue = (ids: readonly string[]): void => {
    queue.addFirst(ids);
  };
  const origin = { feed, resource, page, requestedCursor, onDue };
  const times: Timestamp[] = [];
  let from = readAgainFrom;
  for await (const changes of detectPageChanges(feedPage, feed, resource, run)) {
    await publishAndSave(changes, origin, run);
    times.push(...changes.changes.map(({ time }) => time));
    from = earlierOf(from, changes.readAgainFrom);
    if (!changes.isLast) continue;
    const reached = from === undefined ? feedPage : heldBefore(from, feedPage, feed);
    await checkpoint(changes, times, feed, reached, run);
  }
  return from;
}

/** The page with a cursor before a version, or where the feed has it. */
function heldBefore(version: Timestamp, feedPage: FeedPage, { cursor }: Feed): FeedPage {
  const before = shiftTimestamp(version, -COARSEST_UNIT_MS);
  const held = (reached: Timestamp | undefined): Timestamp | undefined =>
    reached && laterOf(cursor, earlierOf(reached, before));
  return {
    ...feedPage,
    cursor: held(feedPage.cursor),
    lookbackCursor: held(feedPage.lookbackCursor),
    coveredLookbackMs: undefined,
    isCaughtUp: false,
  };
}

/** How the changes on a page are told. Default: as polling does. */
export interface Telling extends Pick<DetectOptions, 'comparesAllLists'> {
  readonly cause?: EventContext['cause'];
}

/** Detects the changes on a page, part by part, see {@link detectChanges}. */
export function detectPageChanges(
  feedPage: Pick<FeedPage, 'page' | 'isCaughtUp' | 'cursor'>,
  feed: Feed,
  resource: Resource,
  run: RunContext,
  { cause = 'poll', comparesAllLists }: Telling = {},
): AsyncIterable<PageChanges> {
  const caughtUpAt = feedPage.isCaughtUp ? feedPage.cursor : undefined;
  const { paging, groupSize, retentionMs } = run.options;
  const { lookbackMs } = paging;
  const { stateGroups } = run;
  const longAgo = isoTime(run.ports.clock.now() - retentionMs);
  const toEvent = eventMakerOf(feed, cause, run);
  const options = {
    ...{ caughtUpAt, lookbackMs, toEvent, groupSize },
    ...{ longAgo, stateGroups, comparesAllLists },
  };
  return detectChanges(feedPage.page, feed, resource, run.ports.store, options);
}

/** Reports a timestamp that the paginator stepped over. */
export function reportSaturated(
  { id }: Feed,
  { saturated }: Pick<FeedPage, 'saturated'>,
  telemetry: Telemetry,
): void {
  if (saturated === undefined) return;
  telemetry.count('SaturatedTimestamp', 1);
  telemetry.warn(
    'More entities share a timestamp than the largest page holds; some may stay unseen until they change',
    { feed: id, saturatedTimestamp: saturated },
  );
}

/**
 * Reports what is unusual about a page, and advances the cursor.
 *
 * @param times of all changes on the page.
 */
async function checkpoint(
  changes: PageChanges,
  times: readonly Timestamp[],
  feed: Feed,
  feedPage: FeedPage,
  { ports, options, paging, registry, summary }: RunContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  // Before the commit: the page is not read again after it.
  reportSaturated(feed, feedPage, telemetry);
  const result = {
    ...feedPage,
    readAfter: feedPage.page.readAfter,
    readBefore: feedPage.page.readBefore,
    boundary: changes.boundary,
    isNews: changes.isNews,
    isCaughtUp: feedPage.isCaughtUp && !changes.isUndecided,
    lookbackMs: options.paging.lookbackMs,
    ...activityOn(feedPage.page, times, clock.now()),
  };
  const after = (current: Feed): Feed => afterPage(current, result, clock.now());
  const { cursor } = await registry.commit(feed.id, after);
  if (feedPage.isLast && paging.serviceTime.isAhead(cursor, feedPage.page)) {
    telemetry.count('CursorAhead', 1);
    telemetry.warn(
      'The cursor lies ahead of now; changes dated before it stay unseen until they change again. Check the clock of the service',
      { feed: feed.id, cursor },
    );
  }
  summary.pages += 1;
  summary.entities += feedPage.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * The number of changes on a page and the time of the latest, by our clock. Its age is measured by the
 * service's clock.
 */
function activityOn({ readAfter }: Page, times: readonly Timestamp[], now: number) {
  const latest = latestOf(times);
  const ageMs = readAfter && latest ? Date.parse(readAfter) - Date.parse(latest) : 0;
  return { changeCount: times.length, changedAt: now - Math.max(0, ageMs) };
}
