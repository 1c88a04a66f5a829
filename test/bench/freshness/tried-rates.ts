import type { Feed } from '../../../functions/core/model/feed.ts';
import {
  nextActivity,
  recentChanges,
  type Activity,
} from '../../../functions/core/model/feed-activity.ts';
import { BUCKETS, ChangeRates } from '../../../functions/core/schedule/change-rates.ts';
import { LEAST_GAIN_MS } from '../../../functions/core/schedule/rank-feeds.ts';
import { liveFeeds, planning, START_MS, type PolicyMaker } from './policies.ts';
import { HourFactors, HOURS, hourOf } from './hour-factors.ts';

/** Steps of the time since the other list has changed, as those of the table that ships; the last is never. */
const OTHER_CLASSES = 8;
/** What all classes together tell of a kind counts in each as much as so many changes that were seen. */
const SHARED_WEIGHT = 2;

/** What is known when a tick is planned, besides what feeds say of themselves. */
interface Tick {
  /** Milliseconds since 1970. */
  at: number;
  /** What is known of another list, as a rule the other one of the project. */
  otherOf: (feed: Feed) => Activity;
}

/** Which list is the other one of a list, by index. */
type OtherOf = (i: number, feeds: number) => number;

const ofProject: OtherOf = (i) => i ^ 1;
const ofAnotherProject: OtherOf = (i, feeds) => (i + feeds / 2) % feeds;

/**
 * The planner that ships, with other rates: by the time of day, or with the project's other list as a
 * signal. The longest wait and thrift are as shipped. The memory is not packed; the first of these shows
 * how much that makes, and is what the others are to be compared with.
 */
export const TRIED_RATES: Readonly<Record<string, PolicyMaker>> = {
  'the same, not packed': withRates(() => new ChangeRates()),
  'times a factor of the hour of the day': withRates((tick) => new HourFactors(() => tick.at)),
  'a table for each hour of the day': withRates(
    (tick) => new RatesByClass(HOURS, () => hourOf(tick.at)),
  ),
  'by the last change of either list': withRates(
    (tick) => new RatesByPace((feed) => withLater(feed, tick.otherOf(feed))),
  ),
  "with half of the other list's changes": withRates(
    (tick) => new RatesByPace((feed, now) => withHalf(feed, tick.otherOf(feed), now)),
  ),
  'a table for each time since the other list changed': withRates(byOther),
  'the same, with a list of another project': withRates(byOther, ofAnotherProject),
};

function byOther(tick: Tick): ChangeRates {
  const steps = new ChangeRates();
  return new RatesByClass(OTHER_CLASSES, (feed, now) => {
    const { lastChange } = tick.otherOf(feed);
    return lastChange === undefined ? OTHER_CLASSES - 1 : steps.bucketOf({ lastChange }, now);
  });
}

function withRates(make: (tick: Tick) => ChangeRates, otherOf = ofProject): PolicyMaker {
  return (workload, budget) => {
    const feeds = liveFeeds(workload);
    const indexes = new Map(feeds.map(({ id }, i) => [id, i]));
    const paces = feeds.map((): Activity => ({}));
    const tick: Tick = { at: START_MS, otherOf: () => ({}) };
    const rates = make(tick);
    const policy = planning(feeds, budget, LEAST_GAIN_MS, rates);
    return {
      choose: (now) => {
        tick.at = START_MS + now * 1000;
        // What this tick's polls find is not known yet.
        const known = [...paces];
        tick.otherOf = ({ id }) => known[otherOf(indexes.get(id) ?? 0, feeds.length)] ?? {};
        rates.forget(budget.tickSeconds * 1000);
        return policy.choose(now);
      },
      polled: (i, changes, latest) => {
        paces[i] = nextActivity(paces[i] ?? {}, changes, START_MS + latest * 1000);
        policy.polled?.(i, changes, latest);
      },
      over: (now) => policy.over?.(now),
    };
  };
}

/** As if the feed had changed last when one of the two did. */
function withLater(own: Activity, other: Activity): Activity {
  const lastChange = Math.max(own.lastChange ?? 0, other.lastChange ?? 0);
  return lastChange === 0 ? {} : { lastChange, recentChanges: recentChanges(own, lastChange) };
}

/** As if half of what the other has lately had had been its own. */
function withHalf(own: Activity, other: Activity, now: number): Activity {
  const { lastChange } = own;
  if (lastChange === undefined) return {};
  const left = recentChanges({ lastChange, recentChanges: 1 }, now);
  const more = recentChanges(other, now) / 2 / left;
  return { lastChange, recentChanges: (own.recentChanges ?? 0) + more };
}

/** The table that ships, with kinds by another pace than the feed's own. */
class RatesByPace extends ChangeRates {
  readonly #paceOf: (feed: Feed, now: number) => Activity;

  constructor(paceOf: (feed: Feed, now: number) => Activity) {
    super();
    this.#paceOf = paceOf;
  }

  override bucketOf(feed: Feed, now: number): number {
    return super.bucketOf(this.#paceOf(feed, now), now);
  }
}

/**
 * The table that ships once for each class. Until a class has seen enough of a kind, all classes together
 * tell its rate.
 */
class RatesByClass extends ChangeRates {
  readonly #classes: readonly ChangeRates[];
  readonly #classOf: (feed: Feed, now: number) => number;

  constructor(classes: number, classOf: (feed: Feed, now: number) => number) {
    super();
    this.#classes = Array.from({ length: classes }, () => new ChangeRates());
    this.#classOf = classOf;
  }

  override bucketOf(feed: Feed, now: number): number {
    return this.#classOf(feed, now) * BUCKETS + super.bucketOf(feed, now);
  }

  override rates(): Float64Array {
    const shared = super.rates();
    const rates = this.#classes.map(({ changes, observedMs }) =>
      shared.map(
        (rate, kind) =>
          ((changes[kind] ?? 0) + SHARED_WEIGHT) / ((observedMs[kind] ?? 0) + SHARED_WEIGHT / rate),
      ),
    );
    return Float64Array.from(rates.flatMap((each) => [...each]));
  }

  override learn(kind: number, changes: number, coveredMs: number): void {
    super.learn(kind % BUCKETS, changes, coveredMs);
    this.#classes[Math.floor(kind / BUCKETS)]?.learn(kind % BUCKETS, changes, coveredMs);
  }

  override forget(elapsedMs: number): void {
    super.forget(elapsedMs);
    for (const each of this.#classes) each.forget(elapsedMs);
  }
}
