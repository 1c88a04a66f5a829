import { recentChanges, type Activity } from '../model/feed-activity.ts';

/** Kinds of feeds by how many changes they have lately had: up to ¼, 1, 4, 16, 64, and more. */
const BUSY_KINDS = 6;
/** Kinds of feeds by time since the last change: up to 4 min, 16 min, 1 h, 4 h, 17 h, 3 d, and more. */
const QUIET_KINDS = 7;
const SHORTEST_QUIET_MS = 60_000;
/** How fast the table forgets: what was found two days ago counts 1/e. */
const MEMORY_MS = 2 * 86_400_000;
/** The guess before anything is known counts as much as so many changes that were seen. */
const GUESS_WEIGHT = 2;
const DAY_MS = 86_400_000;

/** Number of kinds of feeds that a {@link ChangeRates} tells apart. */
export const BUCKETS = BUSY_KINDS * QUIET_KINDS;

/**
 * How often feeds change, learned from all polls of all feeds: a table by how many changes a feed has
 * lately had and how long ago the last one was. Each cell counts the changes that polls of such feeds
 * have found, and the time they covered; their ratio is the rate of the next feed of this kind.
 *
 * It needs no assumption about how changes come. Where they come evenly, the time since the last
 * change tells nothing and the column of a row hold the same; where people work in sessions, a feed
 * that has just changed will do so again in a minute, and the table has found that out by noon. Noise
 * evens out by itself: the cell of feeds with one change in a day holds how often such feeds really
 * change again, which is less than once a day.
 */
export class ChangeRates {
  /** Changes found, by kind. */
  readonly changes: Float32Array;
  /** Time covered by those polls in milliseconds, by kind. */
  readonly observedMs: Float32Array;

  /** @param cells {@link BUCKETS} numbers each, as a table before had them. */
  constructor(cells?: { readonly changes: Float32Array; readonly observedMs: Float32Array }) {
    this.changes = cells?.changes ?? new Float32Array(BUCKETS);
    this.observedMs = cells?.observedMs ?? new Float32Array(BUCKETS);
  }

  /** The kind of a feed now. */
  bucketOf(pace: Activity, now: number): number {
    const { lastChange } = pace;
    if (lastChange === undefined) return QUIET_KINDS - 1;
    const busy = step(recentChanges(pace, now) * 4, BUSY_KINDS);
    const quiet = step((now - lastChange) / SHORTEST_QUIET_MS / 4, QUIET_KINDS);
    return busy * QUIET_KINDS + quiet;
  }

  /** Expected changes per millisecond, by kind. */
  rates(): Float64Array {
    const rates = new Float64Array(BUCKETS);
    for (let kind = 0; kind < BUCKETS; kind += 1) {
      const guess = (0.25 * 4 ** Math.floor(kind / QUIET_KINDS)) / DAY_MS;
      const found = (this.changes[kind] ?? 0) + GUESS_WEIGHT;
      rates[kind] = found / ((this.observedMs[kind] ?? 0) + GUESS_WEIGHT / guess);
    }
    return rates;
  }

  /** Takes in a poll of a feed that was of this kind when it was planned. */
  learn(kind: number, changes: number, coveredMs: number): void {
    this.changes[kind] = (this.changes[kind] ?? 0) + changes;
    this.observedMs[kind] = (this.observedMs[kind] ?? 0) + coveredMs;
  }

  /** Lets time pass: what was learned counts less. */
  forget(elapsedMs: number): void {
    const left = Math.exp(-Math.max(0, elapsedMs) / MEMORY_MS);
    for (let kind = 0; kind < BUCKETS; kind += 1) {
      this.changes[kind] = (this.changes[kind] ?? 0) * left;
      this.observedMs[kind] = (this.observedMs[kind] ?? 0) * left;
    }
  }
}

/** 0 below 1, then one more with each quadrupling, up to the number of steps. */
function step(value: number, steps: number): number {
  let reached = 0;
  for (let rest = value; rest >= 1 && reached < steps - 1; rest /= 4) reached += 1;
  return reached;
}
