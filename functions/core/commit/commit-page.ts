import { afterPage } from '../feeds/after-page.ts';
import type { FeedPage } from '../lists/read-feed.ts';
import type { Feed } from '../model/feed.ts';
import { latestOf, type Timestamp } from '../model/timestamp.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';
import { commitEntities, type Committed } from './commit-entities.ts';

/**
 * Commits a page: quarantines what is invalid, publishes and saves the changes, and moves the
 * cursor of its feed. A crash costs a repeat of the page, and repeats have the same ids.
 */
export async function commitPage(
  feedPage: FeedPage,
  target: CommitTarget,
  context: CommitContext,
): Promise<void> {
  const committed = await commitEntities(feedPage.page, target, context);
  const digest = feedPage.isOnly ? committed.digest : undefined;
  await checkpoint({ ...committed, digest }, feedPage, target, context);
}

/** Reports a timestamp that the list reader stepped over. */
export function reportSaturated(
  { id }: Feed,
  { saturated }: Pick<FeedPage, 'saturated'>,
  telemetry: Telemetry,
): void {
  if (saturated === undefined) return;
  telemetry.count('SaturatedTimestamp', 1);
  telemetry.warn(
    'More entities changed within two milliseconds than the largest page holds; some may be unseen',
    { feed: id, saturatedTimestamp: saturated },
  );
}

/** Reports what is unusual about a page, and advances the cursor. */
async function checkpoint(
  { times, isNews, digest }: Committed,
  feedPage: FeedPage,
  { feed }: CommitTarget,
  { ports, registry, summary }: CommitContext,
): Promise<void> {
  const { telemetry, clock } = ports;
  // Before the commit: the page is not read again after it.
  reportSaturated(feed, feedPage, telemetry);
  const result = {
    ...feedPage,
    ...{ digest, isNews },
    size: feedPage.size,
    ...activityOn(feedPage, times, clock.now()),
  };
  const after = (current: Feed): Feed => afterPage(current, result, clock.now());
  await registry.commit(feed.id, after);
  summary.pages += 1;
  summary.entities += feedPage.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * The number of changes on a page and the time of the latest, by our clock. Its age is measured by
 * the service's clock.
 */
function activityOn({ beganAt }: FeedPage, times: readonly Timestamp[], now: number) {
  const latest = latestOf(times);
  const ageMs = latest === undefined ? 0 : Date.parse(beganAt) - Date.parse(latest);
  return { changeCount: times.length, changedAt: now - Math.max(0, ageMs) };
}
