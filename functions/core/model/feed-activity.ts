/** Changes of a day ago count 1/e. */
const DECAY_MS = 86_400_000;
/** Counted changes of one page: a bulk import says little about the future. */
const MAX_CHANGES_PER_PAGE = 50;

/** How lively a feed is; part of its record. */
export interface Activity {
  readonly lastChange?: number;
  readonly recentChanges?: number;
}

/**
 * The fields that a page's changes update; none without changes, so an idle feed is not written.
 *
 * @param lastChangeAt the latest of the changes, in milliseconds since 1970 by our clock.
 */
export function nextActivity(
  activity: Activity,
  changeCount: number,
  lastChangeAt: number,
): Activity {
  if (changeCount === 0) return {};
  const lastChange = Math.max(activity.lastChange ?? 0, Math.round(lastChangeAt / 1000) * 1000);
  const recent = recentChanges(activity, lastChange) + Math.min(changeCount, MAX_CHANGES_PER_PAGE);
  // Three digits are enough: every byte of a feed is loaded on every tick.
  return { lastChange, recentChanges: Number(recent.toPrecision(3)) };
}

/** Number of recent changes; older ones count less. */
export function recentChanges(
  { lastChange, recentChanges: recent }: Activity,
  now: number,
): number {
  if (lastChange === undefined || recent === undefined) return 0;
  return recent * Math.exp(-Math.max(0, now - lastChange) / DECAY_MS);
}

/** Number of changes found between two states of a feed. */
export function changesBetween(before: Activity, after: Activity): number {
  const { lastChange } = after;
  if (lastChange === undefined) return 0;
  const found = recentChanges(after, lastChange) - recentChanges(before, lastChange);
  return Math.max(0, Math.round(found));
}
