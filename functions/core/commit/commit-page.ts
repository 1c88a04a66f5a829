/**
 * Commits a page: quarantines invalid entities, publishes and saves changes, moves the cursor, in
 * this order. A crash costs a repeat of the page, and repeats have the same ids: promises 1 and 2
 * of docs/guarantees.md.
 */
import { pageDigest } from '../changes/digest.ts';
import { observePage } from '../changes/observe.ts';
import { placeOf } from '../changes/place.ts';
import { afterPage } from '../feeds/after-page.ts';
import type { FeedPage } from '../lists/read-feed.ts';
import type { Feed } from '../model/feed.ts';
import { latestOf, type Timestamp } from '../model/timestamp.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { CommitTarget } from './commit-context.ts';
import { commitEntities, type Found } from './commit-entities.ts';

const NOTHING: Found = { times: [], isNews: false, hasInvalid: false };

/** Commits a page. A list of one page is not compared while its digest stays the same. */
export async function commitPage(feedPage: FeedPage, target: CommitTarget): Promise<void> {
  const { feed, resource } = target;
  const { page, isOnly } = feedPage;
  const observed = observePage(page, placeOf(feed, resource), resource);
  const digest = isOnly ? pageDigest(observed) : undefined;
  const isKnown = digest !== undefined && digest === feed.digest;
  const found = isKnown ? NOTHING : await commitEntities(observed, target);
  await checkpoint(feedPage, found, found.hasInvalid ? undefined : digest, target);
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

/** Reports a saturated timestamp, and moves the cursor. */
async function checkpoint(
  feedPage: FeedPage,
  { times, isNews }: Found,
  digest: string | undefined,
  { feed, run }: CommitTarget,
): Promise<void> {
  const { ports, registry, summary } = run;
  const { telemetry, clock } = ports;
  // Before the commit: the page is not read again after it.
  reportSaturated(feed, feedPage, telemetry);
  const now = clock.now();
  const result = { ...feedPage, digest, isNews, ...activityOn(feedPage, times, now) };
  await registry.commit(feed.id, (current) => afterPage(current, result, now));
  summary.pages += 1;
  summary.entities += feedPage.page.entities.length;
  telemetry.count('PagesRead', 1);
}

/**
 * The number of changes on a page and the time of the latest, by our clock. Its age is measured by
 * the service's clock.
 */
function activityOn({ beganAt }: FeedPage, times: readonly Timestamp[], now: number) {
  const ageMs = Date.parse(beganAt) - Date.parse(latestOf(times) ?? beganAt);
  return { changeCount: times.length, changedAt: now - Math.max(0, ageMs) };
}
