import { recentChanges, type Activity } from '../model/feed.ts';
import { DAY_MS, MINUTE_MS } from '../model/timestamp.ts';

/** Steps of recent changes: up to ¼, 1, 4, 16, 64, and more. */
const BUSY_STEPS = 6;
/** Steps of the time since the last change: up to 4 min, 16 min, 1 h, 4 h, 17 h, 3 d, and more. */
const QUIET_STEPS = 7;
/** Polls of two days ago count 1/e. */
const MEMORY_MS = 2 * DAY_MS;
/** The initial guess of a rate counts as much as this many observed changes. */
const GUESS_WEIGHT = 2;

/** Number of buckets of a {@link ChangeRates}. */
export const BUCKETS = BUSY_STEPS * QUIET_STEPS;

/**
 * Learns how often feeds change, from all polls of all feeds. Feeds share a bucket when they have
 * had about as many recent changes, and the last one about as long ago. A bucket counts the changes
 * that polls found and the time they covered; the quotient is the rate of every feed in it.
 *
 * Nothing is assumed about how changes come: even or in sessions, the buckets show it within hours.
 */
export class ChangeRates {
  /** Changes found, by bucket. */
  readonly changes: number[];
  /** Time covered by the polls in milliseconds, by bucket. */
  readonly observedMs: number[];

  /** @param saved {@link BUCKETS} numbers each. */
  constructor(saved?: { readonly changes: number[]; readonly observedMs: number[] }) {
    this.changes = saved?.changes ?? new Array<number>(BUCKETS).fill(0);
    this.observedMs = saved?.observedMs ?? new Array<number>(BUCKETS).fill(0);
  }

  /** The bucket of a feed now. */
  bucketOf(activity: Activity, now: number): number {
    const { lastChange } = activity;
    if (lastChange === undefined) return QUIET_STEPS - 1;
    const busy = step(recentChanges(activity, now) * 4, BUSY_STEPS);
    const quiet = step((now - lastChange) / MINUTE_MS / 4, QUIET_STEPS);
    return busy * QUIET_STEPS + quiet;
  }

  /** Expected changes per millisecond, by bucket. */
  rates(): number[] {
    return this.changes.map((changes, bucket) => {
      const guess = (0.25 * 4 ** Math.floor(bucket / QUIET_STEPS)) / DAY_MS;
      return (changes + GUESS_WEIGHT) / ((this.observedMs[bucket] ?? 0) + GUESS_WEIGHT / guess);
    });
  }

  /** Records a poll of a feed that was in this bucket when it was ranked. */
  record(bucket: number, changes: number, observedMs: number): void {
    this.changes[bucket] = (this.changes[bucket] ?? 0) + changes;
    this.observedMs[bucket] = (this.observedMs[bucket] ?? 0) + observedMs;
  }

  /** Makes earlier polls count less. */
  forget(elapsedMs: number): void {
    const remaining = Math.exp(-Math.max(0, elapsedMs) / MEMORY_MS);
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      this.changes[bucket] = (this.changes[bucket] ?? 0) * remaining;
      this.observedMs[bucket] = (this.observedMs[bucket] ?? 0) * remaining;
    }
  }
}

/** 0 below 1, then one more with each quadrupling, below the number of steps. */
function step(value: number, steps: number): number {
  let reached = 0;
  for (let rest = value; rest >= 1 && reached < steps - 1; rest /= 4) reached += 1;
  return reached;
}
