/** Activity decays exponentially: after a day, 1/e of it is left. */
const DECAY_MS = 86_400_000;
/** The maximum that one page counts, since a bulk import says little about later changes. */
const MAX_PER_PAGE = 50;

/** How active a feed has been lately. Stored in the feed. */
export interface Activity {
  readonly lastChange?: number;
  readonly recentChanges?: number;
}

/**
 * The activity of a feed after a page; empty when the page had no changes.
 *
 * @param at when the latest change happened, in milliseconds since 1970 by our clock.
 */
export function nextActivity(activity: Activity, changeCount: number, at: number): Activity {
  if (changeCount === 0) return {};
  const lastChange = Math.max(activity.lastChange ?? 0, Math.round(at / 1000) * 1000);
  const recent = recentChanges(activity, lastChange) + Math.min(changeCount, MAX_PER_PAGE);
  // Three digits are enough, and every byte of a feed is loaded on every tick.
  return { lastChange, recentChanges: Number(recent.toPrecision(3)) };
}

/** Recent changes of a feed, decayed until now. */
export function recentChanges(
  { lastChange, recentChanges: recent }: Activity,
  now: number,
): number {
  if (lastChange === undefined || recent === undefined) return 0;
  return recent * Math.exp(-Math.max(0, now - lastChange) / DECAY_MS);
}

/** How many changes polls found between two activities of a feed. */
export function changesBetween(before: Activity, after: Activity): number {
  if (after.lastChange === undefined) return 0;
  return Math.max(
    0,
    Math.round(recentChanges(after, after.lastChange) - recentChanges(before, after.lastChange)),
  );
}
