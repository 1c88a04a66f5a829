import type { Clock } from '../ports/clock.ts';
import type { FeedPage, FeedReader } from './read-feed.ts';

/** Limits one turn of a feed. */
export interface TurnLimit {
  /**
   * Pages after which other feeds have their turn, so that a giant list starves no feed. A turn
   * does not end within a tie: where requests are short, the next run would begin with it anew.
   */
  readonly pagesPerTurn: number;
  /** Whether other feeds wait for their turn. */
  readonly hasWaiting: () => boolean;
  readonly clock: Clock;
}

/** Yields the pages of one turn, and requests each while its predecessor is processed. */
export async function* readAhead(
  reader: FeedReader,
  signal: AbortSignal,
  { pagesPerTurn, hasWaiting, clock }: TurnLimit,
): AsyncGenerator<FeedPage, void> {
  let next = reader.next(signal);
  for (let pageCount = 1; ; pageCount += 1) {
    const feedPage = await next;
    const isTurnOver = feedPage.hasAdvanced && pageCount >= pagesPerTurn && hasWaiting();
    const isOver = feedPage.isLast || isTurnOver;
    if (!isOver) {
      next = reader.next(signal);
      // Avoid an unhandled rejection: the error appears where the page is awaited.
      next.catch(() => undefined);
      // Send the request first: processing a page keeps the processor busy for some milliseconds.
      await clock.sleep(0);
    }
    yield feedPage;
    if (isOver) return;
  }
}
