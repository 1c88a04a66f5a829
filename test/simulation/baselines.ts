import type { Feed } from '../../functions/core/model/feed.ts';
import type { Timestamp } from '../../functions/core/model/timestamp.ts';
import type { History } from './history/history.ts';

/** Whether a feed is in its baseline; `unsure` where requests and commits do not tell. */
export type InBaseline = 'yes' | 'no' | 'unsure';

/** Longer than a request takes that is not slow, and than `Date` may be rounded. */
const READ_MS = 10_000;

/** How the feeds of a project begin. */
interface Beginning {
  readonly inBaseline: InBaseline;
  /** Whether the project was restored after it was found deleted. */
  readonly isRestored: boolean;
}

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
 *
 * What changed after the first run began is told, in a baseline, too.
 *
 * A project that the baseline found deleted has its own later, when it is restored: entities that are
 * older than the first run are silent, those that changed since are not.
 */
export class Baselines {
  readonly #history: History;
  /** When projects were first and last requested in their baseline, by the service's clock. */
  #firstAskedAt = Infinity;
  #lastAskedAt = 0;
  /** When the first page of projects was requested at the latest. */
  #startedBy = 0;
  #hasStarted = false;
  /** Ids of the feeds of projects that were restored after they were found deleted in the baseline. */
  readonly #restored = new Set<string>();
  readonly #feeds = new Map<string, InBaseline>();
  /** By number of the run, then by feed. */
  readonly #progress = new Map<number, Map<string, FeedProgress>>();

  constructor(history: History) {
    this.#history = history;
  }

  /** Whether a feed is in its baseline, for an entity of this version. */
  of(feedId: string, version?: Timestamp): InBaseline {
    const inBaseline = this.#feeds.get(feedId) ?? 'no';
    if (inBaseline === 'no' || version === undefined) return inBaseline;
    const { service } = this.#history;
    // Without the service's clock, or by a wrong one, nobody knows when the first run was.
    const hasClock = service.dates !== 'never' && service.dates !== 'jumping';
    const at = Date.parse(version);
    if (this.#restored.has(feedId)) {
      if (at > this.#lastAskedAt) return 'no';
      const isOld = at < this.#firstAskedAt - this.#history.notifier.lookbackMs - READ_MS;
      // A first answer without a `Date` counts as read when the latest project had changed.
      const isFirstDated = hasClock && service.dates !== 'missing';
      return isOld && isFirstDated ? inBaseline : 'unsure';
    }
    // A first answer for which a process waited for longer, since it stood still, may have been read as much earlier.
    const waitMs = 2 * READ_MS + longestFreezeOf(this.#history);
    if (at < this.#firstAskedAt - waitMs) return hasClock ? inBaseline : 'unsure';
    // What the first page of a list showed is silent, even if it is dated ahead.
    const mayBeAhead = at > this.#lastAskedAt && feedId === 'projects';
    const isTold = this.#isDated && at > this.#startedBy + 2 * READ_MS && !mayBeAhead;
    return isTold ? 'no' : 'unsure';
  }

  /** Whether each answer has a `Date` that is right. */
  get #isDated(): boolean {
    return this.#history.service.dates === 'always';
  }

  /**
   * Records a new feed: it starts in the phase of the projects feed.
   *
   * @param foundDeleted whether it was the baseline that first found its project, if that was deleted.
   */
  added({ id, projectId }: Feed, foundDeleted: InBaseline | undefined): void {
    if (projectId === undefined) {
      this.#feeds.set(id, this.#first);
      return;
    }
    const beginning = this.#beginning(foundDeleted);
    this.#feeds.set(id, beginning.inBaseline);
    if (beginning.isRestored) this.#restored.add(id);
  }

  get #first(): InBaseline {
    return this.#history.notifier.baseline === 'emit' ? 'no' : 'yes';
  }

  #beginning(foundDeleted: InBaseline | undefined): Beginning {
    const inBaseline = this.of('projects');
    const isRestored = foundDeleted !== undefined && inBaseline === 'no' && this.#first === 'yes';
    if (!isRestored) return { inBaseline, isRestored };
    // A project that was deleted whenever it was seen may be older than the first run.
    return { inBaseline: foundDeleted === 'yes' ? 'yes' : 'unsure', isRestored };
  }

  /** Records a request for a page, at a time of the service's clock. */
  asked(run: number, feedId: string, at: number): void {
    this.#progressOf(run, feedId).endsList = false;
    if (feedId !== 'projects' || this.of('projects') === 'no') return;
    this.#firstAskedAt = Math.min(this.#firstAskedAt, at);
    this.#lastAskedAt = at;
    if (!this.#hasStarted) this.#startedBy = at;
  }

  /** Records the answer. */
  answered(run: number, feedId: string, isLast: boolean): void {
    const progress = this.#progressOf(run, feedId);
    progress.endsList = isLast;
    progress.answers += 1;
  }

  /** Records a commit of a feed. */
  committed(run: number, before: Feed, feed: Feed): void {
    if (feed.id === 'projects' && feed.cursor !== undefined) this.#hasStarted = true;
    const { endsList, answers } = this.#progressOf(run, feed.id);
    if (!endsList || this.of(feed.id) === 'no') return;
    // Only a page moves the cursor; changes of the project and failures commit the feed, too.
    const isOver = answers === 1 && feed.cursor !== before.cursor;
    this.#feeds.set(feed.id, isOver ? 'no' : 'unsure');
  }

  /** Records that a commit of a feed in its baseline failed, with or without its effect. */
  commitFailed(feedId: string, run: number): void {
    this.#feeds.set(feedId, 'unsure');
    this.#progressOf(run, feedId).endsList = false;
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

function longestFreezeOf({ steps }: History): number {
  return Math.max(0, ...steps.map(({ act }) => (act.kind === 'freeze' ? act.ms : 0)));
}
