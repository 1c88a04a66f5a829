import type { Answer } from './page-position.ts';
import type { PageRoom } from './page-buffer.ts';
import type { PageHead, Room } from '../ports/service-api.ts';

/** What is done while a page is read. */
export interface Listener {
  /** Its headers are there, and there is room for its body. */
  onHead(head: PageHead): void;
  /** An attempt to read it has failed: its headers say nothing any more. */
  onFailure(): void;
}

/** A request for a page that was sent, the room of its body, and what its headers tell meanwhile. */
export class Asked implements Room {
  /** `last_synced_at` as it was sent. */
  readonly sent: string | undefined;
  /** `Service-Per-Page`. */
  readonly perPage: number;
  /** To be released when the page is done with. */
  readonly room: PageRoom;
  /** Rejects as {@link ServiceApi.fetchPage} does. */
  readonly answer: Promise<Answer>;
  readonly #leaving = new AbortController();
  #head: PageHead | undefined;
  #listener: Listener | undefined;

  /** @param fetch sends the request; what is read needs room in the request that it is given. */
  constructor(
    request: { readonly sent: string | undefined; readonly perPage: number },
    room: PageRoom,
    signal: AbortSignal,
    fetch: (asked: Asked, signal: AbortSignal) => Promise<Answer>,
  ) {
    this.sent = request.sent;
    this.perPage = request.perPage;
    this.room = room;
    this.answer = fetch(this, AbortSignal.any([signal, this.#leaving.signal]));
    // Whether it failed is asked when its turn comes, which may be never.
    this.answer.catch(() => undefined);
  }

  /** Tells from now on what comes; what has come already at once. */
  listen(listener: Listener): void {
    this.#listener = listener;
    if (this.#head !== undefined) listener.onHead(this.#head);
  }

  async take(head: PageHead, signal: AbortSignal): Promise<void> {
    await this.room.take(head, signal);
    this.#head = head;
    this.#listener?.onHead(head);
  }

  hasRead(bytes: number): void {
    this.room.hasRead(bytes);
  }

  correctTo(bytes: number): void {
    if (bytes === 0) {
      this.#head = undefined;
      this.#listener?.onFailure();
    }
    this.room.correctTo(bytes);
  }

  /** Nobody wants the page any more. */
  leave(): void {
    this.#leaving.abort(new Error('the page is not needed any more'));
    this.room.release();
  }
}
