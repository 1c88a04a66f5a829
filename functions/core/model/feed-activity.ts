/** How fast past changes lose their weight: after a day, what is left of them is 1/e. */
const MEMORY_MS = 86_400_000;
/** A bulk import says little about what comes next: of one poll, no more changes than this count. */
const MOST_PER_PAGE = 50;

/** What a feed's own record says of its pace. */
export interface Activity {
  readonly lastChange?: number;
  readonly recentChanges?: number;
}

/**
 * What a page changes about the pace of its feed: nothing, if it showed no changes. It costs nothing to keep: the feed is committed anyway.
 *
 * @param changes how many the page showed.
 * @param at when the latest of them happened, in milliseconds since 1970 by our clock.
 */
export function nextActivity(pace: Activity, changes: number, at: number): Activity {
  if (changes === 0) return {};
  const lastChange = Math.max(pace.lastChange ?? 0, Math.round(at / 1000) * 1000);
  const recent = recentChanges(pace, lastChange) + Math.min(changes, MOST_PER_PAGE);
  // Three digits are enough, and every byte of a feed is loaded on every tick.
  return { lastChange, recentChanges: Number(recent.toPrecision(3)) };
}

/** How many changes the feed has lately had, older ones counting less. */
export function recentChanges(
  { lastChange, recentChanges: recent }: Activity,
  now: number,
): number {
  if (lastChange === undefined || recent === undefined) return 0;
  return recent * Math.exp(-Math.max(0, now - lastChange) / MEMORY_MS);
}

/** How many changes polls have found between two states of a feed. */
export function changesBetween(before: Activity, after: Activity): number {
  if (after.lastChange === undefined) return 0;
  return Math.max(
    0,
    Math.round(recentChanges(after, after.lastChange) - recentChanges(before, after.lastChange)),
  );
}
