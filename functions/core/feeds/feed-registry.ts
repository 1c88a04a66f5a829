import { feedPartition, resourceOf, type Feed } from '../model/feed.ts';
import type { Catalog, Resource } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import { isSameFeed } from './operator-change.ts';

/** Which feeds a run has, and polls. */
export interface Selection {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  /** Whether an operator has paused all lists. */
  readonly isAllPaused: boolean;
}

/** The feeds of a run, as last committed. */
export class FeedRegistry {
  readonly #store: StateStore;
  readonly #selection: Selection;
  readonly #feeds = new Map<string, Feed>();
  readonly #byProject = new Map<string, Set<string>>();

  constructor(store: StateStore, feeds: readonly Feed[], selection: Selection) {
    this.#store = store;
    this.#selection = selection;
    for (const feed of feeds) this.#enter(feed);
  }

  /** @throws RangeError when the run has no such feed. */
  get(id: string): Feed {
    const feed = this.#feeds.get(id);
    if (feed === undefined) throw new RangeError(`The run has no feed ${id}`);
    return feed;
  }

  has(id: string): boolean {
    return this.#feeds.has(id);
  }

  all(): readonly Feed[] {
    return [...this.#feeds.values()];
  }

  /** The feeds that are polled: config selects them, and no operator has paused them. */
  polled(): readonly Feed[] {
    return this.all().filter(({ id }) => this.polledResource(id) !== undefined);
  }

  /** The resource of a feed that is polled. */
  polledResource(id: string): Resource | undefined {
    const feed = this.get(id);
    return this.isPaused(feed) ? undefined : resourceOf(this.#selection.catalog, feed);
  }

  isPaused({ paused }: Feed): boolean {
    return this.isAllPaused || paused === true;
  }

  /** Whether an operator has paused all lists. */
  get isAllPaused(): boolean {
    return this.#selection.isAllPaused;
  }

  /** The lists that config selects. */
  get catalog(): Catalog {
    return this.#selection.catalog;
  }

  /** Ids of the feeds of a project. */
  ofProject(projectId: string): readonly string[] {
    return [...(this.#byProject.get(projectId) ?? [])];
  }

  /**
   * Stores new feeds. The run then has those of its own partitions. An existing feed stays as it
   * is: this run knows neither its cursor nor its phase.
   *
   * @returns the ids of those that were added.
   */
  async add(feeds: readonly Feed[]): Promise<readonly string[]> {
    if (feeds.length === 0) return [];
    const existing = new Set(await this.#store.addFeeds(feeds));
    const added = feeds.filter(({ id }) => !existing.has(id));
    for (const feed of added)
      if (this.#selection.partitions.includes(feedPartition(feed))) this.#enter(feed);
    return added.map(({ id }) => id);
  }

  /** Reads a feed again that others have written, once nothing of this run works on it. */
  async reload(id: string): Promise<void> {
    const [latest] = await this.loadStored([this.get(id)]);
    if (latest !== undefined) this.#feeds.set(id, latest);
  }

  /**
   * Commits the changed feed. Writes nothing if `change` returns an equal one.
   *
   * @throws FeedConflictError when others have written the feed.
   */
  async commit(id: string, change: (feed: Feed) => Feed): Promise<Feed> {
    const feed = this.get(id);
    const changed = change(feed);
    if (isSameFeed(feed, changed)) return feed;
    const stored = await this.#store.commitFeed(changed);
    this.#feeds.set(id, stored);
    return stored;
  }

  /** The stored feeds of those that exist, also of other shards. */
  async loadStored(feeds: readonly Pick<Feed, 'id' | 'projectId'>[]): Promise<readonly Feed[]> {
    if (feeds.length === 0) return [];
    return [...(await this.#store.loadFeedsById(feeds)).values()];
  }

  /**
   * Stores a feed that the run does not poll. A copy of the run stays as it is.
   *
   * @throws FeedConflictError when others have written the feed.
   */
  async commitStored(feed: Feed): Promise<Feed> {
    return this.#store.commitFeed(feed);
  }

  #enter(feed: Feed): void {
    this.#feeds.set(feed.id, feed);
    if (feed.projectId === undefined) return;
    const ofProject = this.#byProject.get(feed.projectId) ?? new Set();
    this.#byProject.set(feed.projectId, ofProject.add(feed.id));
  }
}
