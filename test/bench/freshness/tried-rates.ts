import type { Feed } from '../../../functions/core/model/feed.ts';
import {
  paceAfter,
  recentChanges,
  type Pace,
} from '../../../functions/core/model/feed-activity.ts';
import { KINDS, RateTable } from '../../../functions/core/schedule/change-rates.ts';
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
  otherOf: (feed: Feed) => Pace;
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
  'the same, not packed': withRates(() => new RateTable()),
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

function byOther(tick: Tick): RateTable {
  const steps = new RateTable();
  return new RatesByClass(OTHER_CLASSES, (feed, now) => {
    const { lastChange } = tick.otherOf(feed);
    return lastChange === undefined ? OTHER_CLASSES - 1 : steps.kindOf({ lastChange }, now);
  });
}

function withRates(make: (tick: Tick) => RateTable, otherOf = ofProject): PolicyMaker {
  return (workload, budget) => {
    const feeds = liveFeeds(workload);
    const indexes = new Map(feeds.map(({ id }, i) => [id, i]));
    const paces = feeds.map((): Pace => ({}));
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
        paces[i] = paceAfter(paces[i] ?? {}, changes, START_MS + latest * 1000);
        policy.polled?.(i, changes, latest);
      },
      over: (now) => policy.over?.(now),
    };
  };
}

/** As if the feed had changed last when one of the two did. */
function withLater(own: Pace, other: Pace): Pace {
  const lastChange = Math.max(own.lastChange ?? 0, other.lastChange ?? 0);
  return lastChange === 0 ? {} : { lastChange, recentChanges: recentChanges(own, lastChange) };
}

/** As if half of what the other has lately had had been its own. */
function withHalf(own: Pace, other: Pace, now: number): Pace {
  const { lastChange } = own;
  if (lastChange === undefined) return {};
  const left = recentChanges({ lastChange, recentChanges: 1 }, now);
  const more = recentChanges(other, now) / 2 / left;
  return { lastChange, recentChanges: (own.recentChanges ?? 0) + more };
}

/** The table that ships, with kinds by another pace than the feed's own. */
class RatesByPace extends RateTable {
  readonly #paceOf: (feed: Feed, now: number) => Pace;

  constructor(paceOf: (feed: Feed, now: number) => Pace) {
    super();
    this.#paceOf = paceOf;
  }

  override kindOf(feed: Feed, now: number): number {
    return super.kindOf(this.#paceOf(feed, now), now);
  }
}

/**
 * The table that ships once for each class. Until a class has seen enough of a kind, all classes together
 * tell its rate.
 */
class RatesByClass extends RateTable {
  readonly #classes: readonly RateTable[];
  readonly #classOf: (feed: Feed, now: number) => number;

  constructor(classes: number, classOf: (feed: Feed, now: number) => number) {
    super();
    this.#classes = Array.from({ length: classes }, () => new RateTable());
    this.#classOf = classOf;
  }

  override kindOf(feed: Feed, now: number): number {
    return this.#classOf(feed, now) * KINDS + super.kindOf(feed, now);
  }

  override rates(): Float64Array {
    const shared = super.rates();
    const rates = this.#classes.map(({ changes, covered }) =>
      shared.map(
        (rate, kind) =>
          ((changes[kind] ?? 0) + SHARED_WEIGHT) / ((covered[kind] ?? 0) + SHARED_WEIGHT / rate),
      ),
    );
    return Float64Array.from(rates.flatMap((each) => [...each]));
  }

  override learn(kind: number, changes: number, coveredMs: number): void {
    super.learn(kind % KINDS, changes, coveredMs);
    this.#classes[Math.floor(kind / KINDS)]?.learn(kind % KINDS, changes, coveredMs);
  }

  override forget(elapsedMs: number): void {
    super.forget(elapsedMs);
    for (const each of this.#classes) each.forget(elapsedMs);
  }
}
