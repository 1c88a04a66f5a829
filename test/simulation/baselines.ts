import type { Feed } from '../../functions/core/model/feed.ts';

/** Whether a feed is in its baseline; `unsure` where requests and commits do not tell. */
export type InBaseline = 'yes' | 'no' | 'unsure';

/** The progress of one run in one feed. */
interface FeedProgress {
  /** Whether the latest answer was a last page; false while a request is in flight. */
  endsList: boolean;
  /** Answers so far. */
  answers: number;
}

/**
 * Tracks which feeds are in their baseline, judged by requests and commits. The phase that the notifier
 * stores is not used, since it is under test.
 *
 * A baseline ends with the commit of a last page. A commit does not tell its page: the next page is
 * requested while one is processed, and a last page may be requested twice. So a baseline has ended for
 * sure if the page was the only one, or when the run that read it has ended; in between it is unsure.
 */
export class Baselines {
  readonly #baseline: 'silent' | 'emit';
  readonly #feeds = new Map<string, InBaseline>();
  /** By number of the run, then by feed. */
  readonly #progress = new Map<number, Map<string, FeedProgress>>();

  constructor(baseline: 'silent' | 'emit') {
    this.#baseline = baseline;
  }

  /** Whether a feed is in its baseline. */
  of(feedId: string): InBaseline {
    return this.#feeds.get(feedId) ?? 'no';
  }

  /** Records a new feed: it starts in the phase of the projects feed. */
  added({ id, projectId }: Feed): void {
    const first = this.#baseline === 'emit' ? 'no' : 'yes';
    this.#feeds.set(id, projectId === undefined ? first : this.of('projects'));
  }

  /** Records a request for a page. */
  asked(run: number, feedId: string): void {
    this.#progressOf(run, feedId).endsList = false;
  }

  /** Records the answer. */
  answered(run: number, feedId: string, isLast: boolean): void {
    const progress = this.#progressOf(run, feedId);
    progress.endsList = isLast;
    progress.answers += 1;
  }

  /** Records a commit of a feed. */
  committed(run: number, before: Feed, feed: Feed): void {
    const { endsList, answers } = this.#progressOf(run, feed.id);
    if (!endsList || this.of(feed.id) === 'no') return;
    // Only a page moves the cursor; changes of the project and failures commit the feed, too.
    const isOver = answers === 1 && feed.cursor !== before.cursor;
    this.#feeds.set(feed.id, isOver ? 'no' : 'unsure');
  }

  /** Records that a run ended and did everything that was due. */
  endedWhole(run: number): void {
    for (const [feedId, { endsList }] of this.#progress.get(run) ?? []) {
      if (endsList) this.#feeds.set(feedId, 'no');
    }
  }

  #progressOf(run: number, feedId: string): FeedProgress {
    const byFeed = this.#progress.get(run) ?? new Map<string, FeedProgress>();
    this.#progress.set(run, byFeed);
    const progress = byFeed.get(feedId) ?? { endsList: false, answers: 0 };
    byFeed.set(feedId, progress);
    return progress;
  }
}
