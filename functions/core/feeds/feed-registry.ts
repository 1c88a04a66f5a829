import { FeedConflictError } from '../model/errors.ts';
import type { Feed } from '../model/feed.ts';
import { type StateStore } from '../ports/state-store.ts';

/**
 * The feeds of a run, as last committed. A feed may be changed from two sides in one run, by its own
 * walk and by its project coming or going, so commits of one feed are made one after another.
 */
export class FeedRegistry {
  readonly #store: StateStore;
  readonly #feeds = new Map<string, Feed>();
  readonly #byProject = new Map<string, Set<string>>();
  readonly #commits = new Map<string, Promise<unknown>>();

  constructor(store: StateStore, feeds: readonly Feed[]) {
    this.#store = store;
    for (const feed of feeds) this.#enter(feed);
  }

  /** @throws RangeError when the run does not know the feed. */
  get(id: string): Feed {
    const feed = this.#feeds.get(id);
    if (feed === undefined) throw new RangeError(`no feed ${id} in this run`);
    return feed;
  }

  has(id: string): boolean {
    return this.#feeds.has(id);
  }

  all(): readonly Feed[] {
    return [...this.#feeds.values()];
  }

  /** Ids of the feeds of a project. */
  ofProject(projectId: string): readonly string[] {
    return [...(this.#byProject.get(projectId) ?? [])];
  }

  /**
   * Stores feeds that were not polled before.
   *
   * @throws FeedConflictError when one is there: the run has loaded its feeds from a view that was behind,
   *   and knows neither how far that feed is nor whether it is in its baseline.
   */
  async add(feeds: readonly Feed[]): Promise<void> {
    if (feeds.length === 0) return;
    const there = await this.#store.addFeeds(feeds);
    if (there.length > 0) {
      throw new FeedConflictError(
        `Feeds were there already that this run did not see: ${there[0]}`,
        {
          hint: 'The next run sees them. If it repeats, look for two pollers on one shard.',
        },
      );
    }
    for (const feed of feeds) this.#enter(feed);
  }

  /**
   * Commits what `change` makes of the feed. Writes nothing when it is the same.
   *
   * @throws FeedConflictError when another run committed the feed in the meantime.
   */
  async commit(id: string, change: (feed: Feed) => Feed): Promise<Feed> {
    const before = this.#commits.get(id) ?? Promise.resolve();
    const commit = before.then(() => this.#commitNow(id, change));
    this.#commits.set(
      id,
      commit.catch(() => undefined),
    );
    return commit;
  }

  #enter(feed: Feed): void {
    this.#feeds.set(feed.id, feed);
    if (feed.projectId === undefined) return;
    const ofProject = this.#byProject.get(feed.projectId) ?? new Set();
    this.#byProject.set(feed.projectId, ofProject.add(feed.id));
  }

  async #commitNow(id: string, change: (feed: Feed) => Feed): Promise<Feed> {
    const feed = this.get(id);
    const changed = change(feed);
    if (isSameFeed(feed, changed)) return feed;
    const stored = await this.#store.commitFeed(changed);
    this.#feeds.set(id, stored);
    return stored;
  }
}

function isSameFeed(a: Feed, b: Feed): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]) as Set<keyof Feed>;
  return [...keys].every((key) => a[key] === b[key]);
}
