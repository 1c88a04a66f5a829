import { earlierOf, laterOf, shiftTimestamp, type Timestamp } from '../model/timestamp.ts';

/** What of a page decides how far its list is final. */
export interface ReadPage {
  /** See {@link Page.readAfter}. */
  readonly readAfter: Timestamp | undefined;
  /** The page holds all that was visible up to here, from where the page before ended. */
  readonly coveredUntil: Timestamp;
  /** Latest `updated_at` on it. */
  readonly largest: Timestamp | undefined;
  /** Time since the walk's first request, by our clock, in milliseconds. */
  readonly elapsedMs: number;
}

/**
 * How far the list of a walk is final: nothing that a page did not show can appear there any more.
 *
 * An entity may become visible up to the overlap later than its `updated_at`. So a page that was read
 * at time t is final up to t − overlap, and no page behind it makes up for that: it was read later,
 * when what was missing may have been there already. All times are the service's own.
 */
export class Watermark {
  readonly #lookbackMs: number;
  /** Set by the first page that reached into the time that is not final. */
  #finalUntil: Timestamp | undefined;
  #largest: Timestamp | undefined;
  #isDated = true;

  constructor(lookbackMs: number) {
    this.#lookbackMs = lookbackMs;
  }

  /**
   * Takes in the next page.
   *
   * @returns how far the list is final now; not beyond what the page reached.
   */
  observe({ readAfter, coveredUntil, largest, elapsedMs }: ReadPage): Timestamp {
    this.#largest = laterOf(this.#largest, largest) ?? coveredUntil;
    if (readAfter === undefined) this.#isDated = false;
    // When the walk began, the service's clock was not before this: it showed the latest change.
    if (!this.#isDated) {
      return earlierOf(coveredUntil, shiftTimestamp(this.#largest, -elapsedMs - this.#lookbackMs));
    }
    const final = shiftTimestamp(readAfter ?? coveredUntil, -this.#lookbackMs);
    if (earlierOf(final, coveredUntil) !== coveredUntil) this.#finalUntil ??= final;
    return earlierOf(coveredUntil, this.#finalUntil ?? coveredUntil);
  }
}
