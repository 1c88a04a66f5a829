import { afterPage } from '../feeds/after-page.ts';
import type { Feed } from '../model/feed.ts';
import { latestOf, type Timestamp } from '../model/timestamp.ts';
import type { FeedPage } from '../paging/feed-page.ts';
import type { Page } from '../ports/service-api.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';
import { commitEntities, type Committed } from './commit-entities.ts';

/**
 * Commits a page: quarantines what is invalid, publishes and saves the changes, and moves the cursor of its feed. A
 * crash costs a repeat of the page, and repeats have the same ids.
 *
 * @param isFirst whether the page is the first of its poll.
 */
export async function commitPage(
  feedPage: FeedPage,
  target: CommitTarget,
  context: CommitContext,
  isFirst: boolean,
): Promise<void> {
  const committed = await commitEntities(feedPage.page, target, context);
  const isOnly = isFirst && feedPage.isLast;
  const digest = isOnly ? committed.digest : undefined;
  await checkpoint({ ...committed, digest }, feedPage, target, context);
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

/** Reports what is unusual about a page, and advances the cursor. */
async function checkpoint(
  { times, isNews, digest }: Committed,
  feedPage: FeedPage,
  { feed }: CommitTarget,
  { ports, paging, registry, summary }: CommitContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  // Before the commit: the page is not read again after it.
  reportSaturated(feed, feedPage, telemetry);
  const result = {
    ...feedPage,
    readAfter: feedPage.page.readAfter,
    readBefore: feedPage.page.readBefore,
    ...{ digest, isNews },
    lookbackMs: paging.options.lookbackMs,
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
