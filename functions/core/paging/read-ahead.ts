import type { Clock } from '../ports/clock.ts';
import type { FeedPage } from './feed-page.ts';
import type { Paginator } from './paginator.ts';

/** Limits one turn of a feed. */
export interface TurnLimit {
  /**
   * Pages after which other feeds have their turn, so that a long catch-up starves no feed. A turn that has not
   * advanced goes on: the paginator may end with the run, and the next one would read the same pages.
   */
  readonly pagesPerTurn: number;
  /** Whether other feeds wait for their turn. */
  readonly hasWaiting: () => boolean;
  readonly clock: Clock;
}

/**
 * Pages after which a turn ends even if the cursor has not advanced. A tie needs 20 at most to find the size of its
 * page; a longer lookback may have more pages, and goes on behind them.
 */
const MAX_PAGES_TO_ADVANCE = 50;

/** Yields the pages of one turn, and requests each while its predecessor is processed. */
export async function* readAhead(
  paginator: Paginator,
  signal: AbortSignal,
  { pagesPerTurn, hasWaiting, clock }: TurnLimit,
): AsyncGenerator<FeedPage, void> {
  let next = paginator.next(signal);
  try {
    for (let pageCount = 1; ; pageCount += 1) {
      const feedPage = await next;
      const maxPages = feedPage.hasAdvanced
        ? pagesPerTurn
        : Math.max(pagesPerTurn, MAX_PAGES_TO_ADVANCE);
      const isOver = feedPage.isLast || (pageCount >= maxPages && hasWaiting());
      if (!isOver) {
        next = paginator.next(signal);
        // Avoid an unhandled rejection: the error is read when the page is awaited, if it ever is.
        next.catch(() => undefined);
        // Send the request first: processing a page keeps the processor busy for some milliseconds.
        await clock.sleep(0);
      }
      yield feedPage;
      if (isOver) return;
    }
  } finally {
    // Release the last page if the consumer stops before it.
    void next.then(
      ({ reservation }) => {
        reservation.release();
      },
      () => undefined,
    );
  }
}
