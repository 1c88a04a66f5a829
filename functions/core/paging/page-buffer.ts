import { PageTooLargeError } from '../model/errors.ts';
import type { BodyReservation, PageHeaders } from '../ports/service-api.ts';
import { ByteSemaphore, type Permit } from './byte-semaphore.ts';

/** The budget holds this many pages of maximum size, so that one can download while others are processed. */
const MAX_PAGES_IN_BUFFER = 4;
/** Share of the maximum size that a page of average entities fills; entities vary in size. */
const FILL_RATIO = 0.75;
/** Estimates the size of a body that was not read to its end, as a multiple of the bytes read. */
const UNREAD_FACTOR = 4;
/**
 * A page that must be read at any size may have these bytes, or the budget if that is more. A larger one,
 * which may be hundreds of MB compressed to one, would end the process, and so each run.
 */
const MAX_NEEDED_BYTES = 8e6;
/** Smaller bodies, most of all empty pages, never wait. */
const SMALL_BYTES = 1000;

/**
 * Bounds the bytes of page bodies in memory, over all lists of a run: the budget, or one page alone, which
 * has a maximum of its own.
 *
 * Never deadlocks. A reservation is acquired before its body is read and released when its page is
 * committed or dropped. Its holder needs no second one: it is downloading (with a timeout), being
 * processed, or read ahead and waiting for the page before it in its list, which is being processed. The
 * answer for one entity is acquired and released like a page.
 */
export class PageBuffer {
  readonly #semaphore: ByteSemaphore;
  readonly #maxPageBytes: number;
  readonly #maxNeededBytes: number;
  /** Bytes of an entity on the latest page, by resource name. */
  readonly #entityBytes = new Map<string, number>();

  /** @param bytes the budget of all bodies together. */
  constructor(bytes: number) {
    this.#semaphore = new ByteSemaphore(bytes);
    // Fractions would leave a remainder after all are released.
    this.#maxNeededBytes = Math.max(MAX_NEEDED_BYTES, bytes);
    this.#maxPageBytes = Math.max(1, Math.floor(bytes / MAX_PAGES_IN_BUFFER));
  }

  get bytes(): number {
    return this.#semaphore.held;
  }

  /** Maximum number of entities to request of lists of this resource. */
  maxEntities(resource: string): number {
    return Math.floor((FILL_RATIO * this.#maxPageBytes) / (this.#entityBytes.get(resource) ?? 0));
  }

  /**
   * Makes a reservation for one page. It holds nothing before its `acquire`.
   *
   * @param isNeeded the page may have more than its share, since a smaller page would not advance.
   */
  reserve(resource: string, perPage: number, isNeeded: boolean): PageReservation {
    const maxBytes = isNeeded ? this.#maxNeededBytes : this.#maxPageBytes;
    return new PageReservation({
      perPage,
      isNeeded,
      maxBytes,
      acquire: (bytes, signal) =>
        this.#semaphore.acquire(
          Math.min(bytes, maxBytes, MAX_PAGES_IN_BUFFER * this.#maxPageBytes),
          signal,
        ),
      recordSize: (entityBytes) => {
        this.#entityBytes.set(resource, entityBytes);
        return this.maxEntities(resource);
      },
    });
  }
}

/** The limits and callbacks that a {@link PageBuffer} gives to its reservations. */
interface ReservationOptions {
  readonly perPage: number;
  readonly isNeeded: boolean;
  readonly maxBytes: number;
  readonly acquire: (bytes: number, signal: AbortSignal) => Promise<Permit>;
  /** @returns how many entities of this size fit into a page. */
  readonly recordSize: (entityBytes: number) => number;
}

/** Memory for the body of one page, through all attempts to read it. */
export class PageReservation implements BodyReservation {
  readonly #options: ReservationOptions;
  #permit: Permit | undefined;
  #entityCount: number;
  #bytes = 0;
  #isReleased = false;

  constructor(options: ReservationOptions) {
    this.#options = options;
    this.#entityCount = options.perPage;
  }

  /** A page that exceeds the maximum must be read in a smaller one, or not at all if that would not advance. */
  get limit(): Pick<ReservationOptions, 'isNeeded' | 'maxBytes'> {
    return this.#options;
  }

  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  async acquire({ bytes, entities }: PageHeaders, signal: AbortSignal): Promise<void> {
    const { perPage, maxBytes } = this.#options;
    this.#entityCount = entities ?? perPage;
    this.#bytes = bytes ?? 0;
    this.#permit = undefined;
    if (this.#bytes > maxBytes) throw new PageTooLargeError(`${this.#bytes} bytes`);
    // A body of unknown size may have the maximum size until it is read.
    const size = bytes ?? (entities === 0 ? 0 : Infinity);
    if (size >= SMALL_BYTES) await this.#hold(size, signal);
  }

  async #hold(bytes: number, signal: AbortSignal): Promise<void> {
    this.#permit = await this.#options.acquire(bytes, signal);
    if (this.#isReleased) this.#permit.resize(0);
  }

  onBytesRead(bytes: number, signal: AbortSignal): Promise<void> | undefined {
    if (bytes > this.#options.maxBytes) {
      this.#bytes = UNREAD_FACTOR * bytes;
      throw new PageTooLargeError(`${bytes} bytes or more`);
    }
    // The headers of the body said that it was small.
    return bytes < SMALL_BYTES || this.#permit ? undefined : this.#hold(Infinity, signal);
  }

  resize(bytes: number): void {
    // A failed attempt (0) does not show the size.
    if (bytes > 0) this.#bytes = bytes;
    if (!this.#isReleased) this.#permit?.resize(bytes);
  }

  onWeighed(weight: number, signal: AbortSignal): Promise<void> | undefined {
    const bytes = this.#bytes;
    if (weight <= Math.max(bytes, SMALL_BYTES)) return undefined;
    this.#bytes = weight;
    if (weight > this.#options.maxBytes) {
      throw new PageTooLargeError(
        `${bytes} bytes with so many small values that it takes as much memory as ${weight} bytes`,
      );
    }
    // A body that waited for more while it holds some could wait for another one that does the same.
    this.#permit?.resize(0);
    return this.#hold(weight, signal);
  }

  /**
   * Records the size of the page's entities.
   *
   * @returns how many entities to request at most.
   */
  recordSize(): number {
    if (this.#bytes < SMALL_BYTES) return Infinity;
    return this.#options.recordSize(this.#bytes / Math.max(1, this.#entityCount));
  }

  /** Gives the memory back; later sizes are ignored. */
  release(): void {
    this.#isReleased = true;
    this.#permit?.resize(0);
  }
}
