import { ByteBudget, type Share } from './byte-semaphore.ts';
import { PageTooLarge } from '../model/errors.ts';
import type { PageHead, Room } from '../ports/service-api.ts';

/** So many of the largest pages are in hand at once: one is read while others are worked with. */
const LARGEST_PAGES = 4;
/** What is filled of the largest page by entities as large as those before; they vary. */
const FILLED = 0.75;
/** Of a body that was not read to its end it is not known how large it is: so many times what was read. */
const UNREAD = 4;
/** Bodies of fewer bytes, most of all empty pages, wait for nothing. */
const SMALL = 1000;

/**
 * The bodies of pages that a run has in memory, all lists together: never more bytes than allowed, or one
 * page alone. What else a page takes, parsed, compared and published, goes with its bytes.
 *
 * Nobody waits for ever. Room is asked for before a body is read, and given back when its page is
 * committed or left. Whoever holds some is either being read, which asks for no more and is timed; or
 * being worked with, which asks for no more either; or read ahead, and waits for the page before it in
 * its list, which is being read or worked with. So some page always comes to its end, and lets in the
 * next one that waits. A page that has to be asked for again has no page behind it in hand, see
 * {@link Asking}, and its own room is given back before that.
 */
export class PagesInHand {
  readonly #budget: ByteBudget;
  readonly #largestPage: number;
  /** Bytes of an entity on the latest page, by list. */
  readonly #means = new Map<string, number>();

  /** @param bytes that bodies may have together. */
  constructor(bytes: number) {
    this.#budget = new ByteBudget(bytes);
    // Whole bytes: of fractions something is left over when all were given back.
    this.#largestPage = Math.max(1, Math.floor(bytes / LARGEST_PAGES));
  }

  /** Bytes in hand now. */
  get bytes(): number {
    return this.#budget.held;
  }

  /**
   * How many entities to ask for at the most.
   *
   * @param list name of the resource: entities of lists of one name are of a size.
   */
  fitting(list: string): number {
    return Math.floor((FILLED * this.#largestPage) / (this.#means.get(list) ?? 0));
  }

  /**
   * Room for the page that is asked for.
   *
   * @param perPage entities that it has at the most.
   * @param isNeeded to be read however large it is: nothing smaller would do.
   */
  roomFor(list: string, perPage: number, isNeeded: boolean): PageRoom {
    const most = isNeeded ? Infinity : this.#largestPage;
    return new PageRoom({
      perPage,
      most,
      take: (bytes, signal) =>
        this.#budget.take(Math.min(bytes, most, LARGEST_PAGES * this.#largestPage), signal),
      learn: (mean) => {
        this.#means.set(list, mean);
        return this.fitting(list);
      },
    });
  }
}

/** What a {@link PageRoom} needs to know of all of them. */
interface Surroundings {
  readonly perPage: number;
  /** Bytes that the body may have. */
  readonly most: number;
  readonly take: (bytes: number, signal: AbortSignal) => Promise<Share>;
  /** @returns how many entities fit. */
  readonly learn: (meanBytes: number) => number;
}

/** Room for the body of one page, through all attempts to read it. */
export class PageRoom implements Room {
  readonly #around: Surroundings;
  #share: Share | undefined;
  #entities: number;
  #bytes = 0;
  #isReleased = false;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#entities = around.perPage;
  }

  async take({ bytes, entities }: PageHead, signal: AbortSignal): Promise<void> {
    const { perPage, most, take } = this.#around;
    this.#entities = entities ?? perPage;
    this.#bytes = bytes ?? 0;
    if (this.#bytes > most) throw new PageTooLarge(this.#bytes);
    // A body that does not say its size may be as large as a page may be, until it is read.
    const size = bytes ?? (entities === 0 ? 0 : Infinity);
    if (size < SMALL) return;
    this.#share = await take(size, signal);
    if (this.#isReleased) this.#share.correctTo(0);
  }

  hasRead(bytes: number): void {
    if (bytes <= this.#around.most) return;
    this.#bytes = UNREAD * bytes;
    throw new PageTooLarge(bytes);
  }

  correctTo(bytes: number): void {
    // An attempt that failed has shown nothing else.
    if (bytes > 0) this.#bytes = bytes;
    if (!this.#isReleased) this.#share?.correctTo(bytes);
  }

  /**
   * Takes in what the answer has shown of the entities' size.
   *
   * @returns how many to ask for at the most.
   */
  learn(): number {
    if (this.#bytes < SMALL) return Infinity;
    return this.#around.learn(this.#bytes / Math.max(1, this.#entities));
  }

  /** Gives the room back, for good. */
  release(): void {
    this.#isReleased = true;
    this.#share?.correctTo(0);
  }
}
