import { ByteSemaphore, type Permit } from './byte-semaphore.ts';
import { PageTooLargeError } from '../model/errors.ts';
import type { PageHeaders, BodyReservation } from '../ports/service-api.ts';

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
 * {@link PageFetcher}, and its own room is given back before that.
 */
export class PageBuffer {
  readonly #budget: ByteSemaphore;
  readonly #largestPage: number;
  /** Bytes of an entity on the latest page, by list. */
  readonly #means = new Map<string, number>();

  /** @param bytes that bodies may have together. */
  constructor(bytes: number) {
    this.#budget = new ByteSemaphore(bytes);
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
  maxEntities(list: string): number {
    return Math.floor((FILLED * this.#largestPage) / (this.#means.get(list) ?? 0));
  }

  /**
   * Room for the page that is asked for.
   *
   * @param perPage entities that it has at the most.
   * @param isNeeded to be read however large it is: nothing smaller would do.
   */
  reserve(list: string, perPage: number, isNeeded: boolean): PageReservation {
    const most = isNeeded ? Infinity : this.#largestPage;
    return new PageReservation({
      perPage,
      most,
      acquire: (bytes, signal) =>
        this.#budget.acquire(Math.min(bytes, most, LARGEST_PAGES * this.#largestPage), signal),
      recordSize: (mean) => {
        this.#means.set(list, mean);
        return this.maxEntities(list);
      },
    });
  }
}

/** What a {@link PageReservation} needs to know of all of them. */
interface Surroundings {
  readonly perPage: number;
  /** Bytes that the body may have. */
  readonly most: number;
  readonly acquire: (bytes: number, signal: AbortSignal) => Promise<Permit>;
  /** @returns how many entities fit. */
  readonly recordSize: (meanBytes: number) => number;
}

/** Room for the body of one page, through all attempts to read it. */
export class PageReservation implements BodyReservation {
  readonly #around: Surroundings;
  #permit: Permit | undefined;
  #entities: number;
  #bytes = 0;
  #isReleased = false;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#entities = around.perPage;
  }

  async acquire({ bytes, entities }: PageHeaders, signal: AbortSignal): Promise<void> {
    const { perPage, most, acquire } = this.#around;
    this.#entities = entities ?? perPage;
    this.#bytes = bytes ?? 0;
    if (this.#bytes > most) throw new PageTooLargeError(this.#bytes);
    // A body that does not say its size may be as large as a page may be, until it is read.
    const size = bytes ?? (entities === 0 ? 0 : Infinity);
    if (size < SMALL) return;
    this.#permit = await acquire(size, signal);
    if (this.#isReleased) this.#permit.resize(0);
  }

  onBytesRead(bytes: number): void {
    if (bytes <= this.#around.most) return;
    this.#bytes = UNREAD * bytes;
    throw new PageTooLargeError(bytes);
  }

  resize(bytes: number): void {
    // An attempt that failed has shown nothing else.
    if (bytes > 0) this.#bytes = bytes;
    if (!this.#isReleased) this.#permit?.resize(bytes);
  }

  /**
   * Takes in what the answer has shown of the entities' size.
   *
   * @returns how many to ask for at the most.
   */
  recordSize(): number {
    if (this.#bytes < SMALL) return Infinity;
    return this.#around.recordSize(this.#bytes / Math.max(1, this.#entities));
  }

  /** Gives the room back, for good. */
  release(): void {
    this.#isReleased = true;
    this.#permit?.resize(0);
  }
}
