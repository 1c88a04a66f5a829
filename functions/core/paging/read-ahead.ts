import type { Walk, WalkedPage } from './paginator.ts';
import { type Clock } from '../ports/clock.ts';

/** How long a feed may go on. */
export interface Turn {
  /** A feed lets others have their turn after so many pages: a huge catch-up starves nobody. */
  readonly pagesPerTurn: number;
  /** Whether feeds wait for their turn. */
  readonly othersWait: () => boolean;
  readonly clock: Clock;
}

/** The pages of one turn; the next one is asked for while the current one is worked with. */
export async function* readAhead(
  walk: Walk,
  signal: AbortSignal,
  { pagesPerTurn, othersWait, clock }: Turn,
): AsyncGenerator<WalkedPage, void> {
  const isOverAfter = (pages: number): boolean => pages >= pagesPerTurn && othersWait();
  let next = walk.next(signal, !isOverAfter(1));
  try {
    for (let pages = 1; ; pages += 1) {
      const walked = await next;
      const isOver = walked.isLast || isOverAfter(pages);
      if (!isOver) {
        next = walk.next(signal, !isOverAfter(pages + 1));
        // Whether it failed is asked when its turn comes, which may be never.
        next.catch(() => undefined);
        // The request leaves first: working a page keeps the processor busy for some milliseconds.
        await clock.sleep(0);
      }
      yield walked;
      if (isOver) return;
    }
  } finally {
    walk.leave();
    // The last one that was asked for, if nobody has taken it.
    void next.then(
      ({ room }) => {
        room.release();
      },
      () => undefined,
    );
  }
}
