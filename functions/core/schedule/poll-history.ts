import { changesBetween, type Feed } from '../model/feed.ts';
import { ChangeRates } from './change-rates.ts';
import type { Note } from './note.ts';

interface Remembered {
  readonly rates?: ChangeRates;
  /** Start of the last poll by feed id, in whole seconds but as milliseconds since 1970. */
  readonly polledAt?: Map<string, number>;
  /** Ids of feeds whose lists have more to read. */
  readonly unfinished?: Set<string>;
  readonly note?: Note;
  readonly savedAt?: number;
}

/**
 * Remembers from run to run when feeds were polled and how often they change. Its loss costs no
 * change: a feed without history is polled as soon as possible.
 */
export class PollHistory {
  readonly rates: ChangeRates;
  /** The note of the run that saved the history. */
  readonly note: Note;
  /** End of the run that saved the history, in whole seconds but as milliseconds since 1970. */
  readonly savedAt: number | undefined;
  readonly #polledAt: Map<string, number>;
  readonly #unfinished: Set<string>;

  constructor({ rates, polledAt, unfinished, note, savedAt }: Remembered = {}) {
    this.rates = rates ?? new ChangeRates();
    this.note = note ?? {};
    this.savedAt = savedAt;
    this.#polledAt = polledAt ?? new Map<string, number>();
    this.#unfinished = unfinished ?? new Set<string>();
  }

  /** Start of the last poll; undefined when unknown. */
  polledAt(id: string): number | undefined {
    return this.#polledAt.get(id);
  }

  isUnfinished(id: string): boolean {
    return this.#unfinished.has(id);
  }

  /**
   * Records a poll that reached the end of the list, or failed.
   *
   * @param before the feed when it was ranked.
   * @param after the feed after the poll.
   */
  recordPoll(before: Feed, after: Feed, rankedAt: number): void {
    const last = this.#polledAt.get(before.id);
    this.#polledAt.set(before.id, toSeconds(rankedAt));
    this.#unfinished.delete(before.id);
    const isUsual = before.phase === 'live' && !after.wait && !after.parked;
    if (last === undefined || last >= rankedAt || !isUsual) return;
    const bucket = this.rates.bucketOf(before, rankedAt);
    this.rates.record(bucket, changesBetween(before, after), rankedAt - last);
  }

  /** Records a poll that left more to read in the list. */
  recordPartial(id: string, rankedAt: number): void {
    this.#polledAt.set(id, toSeconds(rankedAt));
    this.#unfinished.add(id);
  }
}

/** Drops milliseconds, as the encoded history does. */
function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
