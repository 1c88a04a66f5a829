import { readAnswer, type Answer } from './answer.ts';
import { PageTooLarge } from './errors.ts';
import { feedPath, type Feed } from './feed.ts';
import type { PageRoom, PagesInHand } from './pages-in-hand.ts';
import type { Clock, ServiceApi } from './ports.ts';
import type { Resource } from './resources.ts';

/** `Service-Per-Page` at the most (spec, "Limits"). */
const LARGEST_PAGE = 1000;
/** One entity to repeat the last one of the page before, and one that leads on. */
const SMALLEST_PAGE = 2;

/** What asking needs to know of its run. */
export interface AskContext {
  readonly api: ServiceApi;
  readonly clock: Clock;
  readonly walk: {
    /** `Service-Per-Page`: 1 to 1000; less where entities are large. */
    readonly perPage: number;
  };
  readonly pagesInHand: PagesInHand;
}

/** An answer, and the room that its body takes. */
export interface Answered {
  readonly answer: Answer;
  /** To be released when the answer is done with. */
  readonly room: PageRoom;
}

/** Asks for the pages of one list: for fewer entities at a time where they are large. */
export class Asking {
  readonly #resource: Resource;
  readonly #feed: Feed;
  readonly #context: AskContext;
  /** How many entities fit into a page, by what the last answer showed. */
  #fitting: number;
  /** `Service-Per-Page` of the last request. */
  #perPage = 0;
  /** That of the next one, if the last page was too small to lead on. */
  #grownTo: number | undefined;
  /** When the first request was sent, by our clock. */
  #startedAt: number | undefined;

  constructor(resource: Resource, feed: Feed, context: AskContext) {
    this.#resource = resource;
    this.#feed = feed;
    this.#context = context;
    this.#fitting = Math.max(SMALLEST_PAGE, context.pagesInHand.fitting(resource.name));
  }

  /** Time since the first request, in milliseconds. */
  get elapsedMs(): number {
    return this.#context.clock.now() - (this.#startedAt ?? 0);
  }

  /** Asks for a page, and for a smaller one if it is too large for the memory. */
  async ask(sent: string | undefined, signal: AbortSignal): Promise<Answered> {
    const { walk, pagesInHand } = this.#context;
    for (;;) {
      this.#perPage = this.#grownTo ?? Math.min(walk.perPage, this.#fitting);
      // What is smaller would not lead on.
      const isNeeded = this.#grownTo !== undefined || this.#perPage <= SMALLEST_PAGE;
      const room = pagesInHand.roomFor(this.#resource.name, this.#perPage, isNeeded);
      try {
        const answer = await this.#fetch(sent, room, signal);
        this.#fitting = Math.max(SMALLEST_PAGE, room.learn());
        return { answer, room };
      } catch (error) {
        room.release();
        if (!(error instanceof PageTooLarge)) throw error;
        // Half at the most: a service may show more than it is asked for.
        const fewer = Math.min(room.learn(), Math.floor(this.#perPage / 2));
        this.#fitting = Math.max(SMALLEST_PAGE, fewer);
      }
    }
  }

  /**
   * Makes the next page as large as there is; where memory is short twice as large as the last one, in
   * memory alone if need be.
   *
   * @returns false when it was the largest already.
   */
  grow(): boolean {
    if (this.#perPage >= LARGEST_PAGE) return false;
    this.#grownTo = Math.min(LARGEST_PAGE, Math.max(2 * this.#perPage, this.#fitting));
    return true;
  }

  /** Makes the next page as large as usual. */
  shrink(): void {
    this.#grownTo = undefined;
  }

  async #fetch(sent: string | undefined, room: PageRoom, signal: AbortSignal): Promise<Answer> {
    const { api, clock } = this.#context;
    const { query } = this.#resource;
    this.#startedAt ??= clock.now();
    const page = await api.fetchPage(
      {
        path: feedPath(this.#resource, this.#feed.projectId),
        ...(query && { query }),
        ...(sent !== undefined && { lastSyncedAt: sent }),
        perPage: this.#perPage,
        room,
      },
      signal,
    );
    return readAnswer(page, sent);
  }
}
