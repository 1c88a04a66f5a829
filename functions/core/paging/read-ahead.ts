import type { Paginator, FeedPage } from './paginator.ts';
import { type Clock } from '../ports/clock.ts';

/** How long a feed may go on. */
export interface TurnLimit {
  /** A feed lets others have their turn after so many pages: a huge catch-up starves nobody. */
  readonly pagesPerTurn: number;
  /** Whether feeds wait for their turn. */
  readonly hasWaiting: () => boolean;
  readonly clock: Clock;
}

/** The pages of one turn; the next one is asked for while the current one is worked with. */
export async function* readAhead(
  paging: Paginator,
  signal: AbortSignal,
  { pagesPerTurn, hasWaiting, clock }: TurnLimit,
): AsyncGenerator<FeedPage, void> {
  const isOverAfter = (pages: number): boolean => pages >= pagesPerTurn && hasWaiting();
  let next = paging.next(signal, !isOverAfter(1));
  try {
    for (let pages = 1; ; pages += 1) {
      const feedPage = await next;
      const isOver = feedPage.isLast || isOverAfter(pages);
      if (!isOver) {
        next = paging.next(signal, !isOverAfter(pages + 1));
        // Whether it failed is asked when its turn comes, which may be never.
        next.catch(() => undefined);
        // The request leaves first: working a page keeps the processor busy for some milliseconds.
        await clock.sleep(0);
      }
      yield feedPage;
      if (isOver) return;
    }
  } finally {
    paging.cancel();
    // The last one that was asked for, if nobody has taken it.
    void next.then(
      ({ reservation }) => {
        reservation.release();
      },
      () => undefined,
    );
  }
}
