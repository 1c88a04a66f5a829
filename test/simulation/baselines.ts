import type { Feed } from '../../functions/core/model/feed.ts';

/** Whether a feed is in its baseline; `unsure` where that cannot be seen from outside. */
export type InBaseline = 'yes' | 'no' | 'unsure';

/** What one run did of one feed. */
interface Walked {
  /** Whether the latest request was answered with a last page; false while it is under way. */
  endsList: boolean;
  /** Answers so far. */
  answers: number;
}

/**
 * Which feeds are in their baseline, by what is seen at the edges of the notifier: what it stores of
 * that itself is what is to be judged.
 *
 * A baseline goes on until a last page is committed. A commit does not say which page it is of: the
 * next page is asked for while one is worked with, and a last page may be a mere try that is asked for
 * again. So it is over for sure when the page was the only one, and otherwise when the run that read
 * it came to its end; in between it is unsure.
 */
export class Baselines {
  readonly #baseline: 'silent' | 'emit';
  readonly #feeds = new Map<string, InBaseline>();
  /** By number of the run, then by feed. */
  readonly #walks = new Map<number, Map<string, Walked>>();

  constructor(baseline: 'silent' | 'emit') {
    this.#baseline = baseline;
  }

  /** Whether a feed is in its baseline. */
  of(feedId: string): InBaseline {
    return this.#feeds.get(feedId) ?? 'no';
  }

  /** Notes a feed that was never stored before: that of a project begins as that of all projects is. */
  added({ id, projectId }: Feed): void {
    const first = this.#baseline === 'emit' ? 'no' : 'yes';
    this.#feeds.set(id, projectId === undefined ? first : this.of('projects'));
  }

  /** Notes that a run asks for a page. */
  asked(run: number, feedId: string): void {
    this.#walkOf(run, feedId).endsList = false;
  }

  /** Notes that the page has arrived. */
  answered(run: number, feedId: string, isLast: boolean): void {
    const paging = this.#walkOf(run, feedId);
    paging.endsList = isLast;
    paging.answers += 1;
  }

  /** Notes that a run stored a feed again. */
  committed(run: number, before: Feed, feed: Feed): void {
    const { endsList, answers } = this.#walkOf(run, feed.id);
    if (!endsList || this.of(feed.id) === 'no') return;
    // Only a page moves the cursor: a project that comes or goes, or a failure, stores the feed too.
    const isOver = answers === 1 && feed.cursor !== before.cursor;
    this.#feeds.set(feed.id, isOver ? 'no' : 'unsure');
  }

  /** Notes that a run came to its end, and did all that was due. */
  endedWhole(run: number): void {
    for (const [feedId, { endsList }] of this.#walks.get(run) ?? []) {
      if (endsList) this.#feeds.set(feedId, 'no');
    }
  }

  #walkOf(run: number, feedId: string): Walked {
    const walks = this.#walks.get(run) ?? new Map<string, Walked>();
    this.#walks.set(run, walks);
    const paging = walks.get(feedId) ?? { endsList: false, answers: 0 };
    walks.set(feedId, paging);
    return paging;
  }
}
