import type { PagePosition } from './page-position.ts';
import type { PageReservation } from './page-buffer.ts';
import type { PageHeaders, BodyReservation } from '../ports/service-api.ts';

/** What is done while a page is read. */
export interface Listener {
  /** Its headers are there, and there is room for its body. */
  onHead(headers: PageHeaders): void;
  /** An attempt to read it has failed: its headers say nothing any more. */
  onFailure(): void;
}

/** A request for a page that was sent, the room of its body, and what its headers tell meanwhile. */
export class PendingPage implements BodyReservation {
  /** `last_synced_at` as it was sent. */
  readonly requestedCursor: string | undefined;
  /** `Service-Per-Page`. */
  readonly perPage: number;
  /** To be released when the page is done with. */
  readonly reservation: PageReservation;
  /** Rejects as {@link ServiceApi.fetchPage} does. */
  readonly answer: Promise<PagePosition>;
  readonly #leaving = new AbortController();
  #head: PageHeaders | undefined;
  #listener: Listener | undefined;

  /** @param fetch sends the request; what is read needs room in the request that it is given. */
  constructor(
    request: { readonly requestedCursor: string | undefined; readonly perPage: number },
    reservation: PageReservation,
    signal: AbortSignal,
    fetch: (asked: PendingPage, signal: AbortSignal) => Promise<PagePosition>,
  ) {
    this.requestedCursor = request.requestedCursor;
    this.perPage = request.perPage;
    this.reservation = reservation;
    this.answer = fetch(this, AbortSignal.any([signal, this.#leaving.signal]));
    // Whether it failed is asked when its turn comes, which may be never.
    this.answer.catch(() => undefined);
  }

  /** Tells from now on what comes; what has come already at once. */
  listen(listener: Listener): void {
    this.#listener = listener;
    if (this.#head !== undefined) listener.onHead(this.#head);
  }

  async acquire(headers: PageHeaders, signal: AbortSignal): Promise<void> {
    await this.reservation.acquire(headers, signal);
    this.#head = headers;
    this.#listener?.onHead(headers);
  }

  onBytesRead(bytes: number): void {
    this.reservation.onBytesRead(bytes);
  }

  resize(bytes: number): void {
    if (bytes === 0) {
      this.#head = undefined;
      this.#listener?.onFailure();
    }
    this.reservation.resize(bytes);
  }

  /** Nobody wants the page any more. */
  cancel(): void {
    this.#leaving.abort(new Error('the page is not needed any more'));
    this.reservation.release();
  }
}
