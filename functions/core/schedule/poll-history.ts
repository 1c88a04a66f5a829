import { changesBetween } from '../model/feed-activity.ts';
import { ChangeRates } from './change-rates.ts';
import type { Feed } from '../model/feed.ts';

/**
 * What the planner remembers from one run to the next, besides what feeds say of themselves. None of
 * it is needed to lose no change: a feed of which nothing is remembered is polled as soon as possible.
 */
export class PollHistory {
  readonly rates: ChangeRates;
  /** When feeds were last polled, in milliseconds since 1970 and whole seconds, by feed id. */
  readonly #polledAt: Map<string, number>;
  /** Feeds whose lists have more to read. */
  readonly #unfinished: Set<string>;

  constructor(
    rates = new ChangeRates(),
    polledAt = new Map<string, number>(),
    unfinished = new Set<string>(),
  ) {
    this.rates = rates;
    this.#polledAt = polledAt;
    this.#unfinished = unfinished;
  }

  /** When the feed was last polled; undefined when that is not known. */
  polledAt(id: string): number | undefined {
    return this.#polledAt.get(id);
  }

  /**
   * Takes in that a feed was polled to the end of its list, or until it failed.
   *
   * @param before the feed when it was planned.
   * @param after the feed after the poll.
   * @param plannedAt when it was planned.
   */
  polled(before: Feed, after: Feed, plannedAt: number): void {
    const last = this.#polledAt.get(before.id);
    this.#polledAt.set(before.id, Math.floor(plannedAt / 1000) * 1000);
    this.#unfinished.delete(before.id);
    const isUsual = before.phase === 'live' && after.failures === 0 && after.parked === undefined;
    if (last === undefined || last >= plannedAt || !isUsual) return;
    const kind = this.rates.bucketOf(before, plannedAt);
    this.rates.learn(kind, changesBetween(before, after), plannedAt - last);
  }

  /** Whether there is more to read in the list of a feed. */
  isUnfinished(id: string): boolean {
    return this.#unfinished.has(id);
  }

  /** Takes in that a feed was polled, and there is more to read in its list. */
  recordPartial(id: string, plannedAt: number): void {
    this.#polledAt.set(id, Math.floor(plannedAt / 1000) * 1000);
    this.#unfinished.add(id);
  }
}
