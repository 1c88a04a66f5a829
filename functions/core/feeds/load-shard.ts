import { newFeed, type Feed, type Phase } from '../model/feed.ts';
import { FeedRegistry } from './feed-registry.ts';
import { feedsOfNewResources } from './sync-projects.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { type ShardView, type StateStore } from '../ports/state-store.ts';

/** What decides which feeds there are. */
export interface ShardOptions {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  /** `silent`: what is found by the first deployment raises no events; `emit`: it is `created`. */
  readonly baseline: 'silent' | 'emit';
}

/**
 * Loads the feeds, and what the planner remembers. An idle tick costs little else, so what may be a
 * little behind is good enough, at half the price, where it does no harm:
 *
 * - What is known of entities is read as it is, so a cursor that is behind repeats pages that are
 *   known; a commit that starts from it is refused, and the page is read again by the next run.
 * - A feed that was just added is polled one run later. If its project is seen again, adding it
 *   again is refused.
 * - A feed that was just parked or resumed waits for its turn as one that was not, at the worst an
 *   hour longer.
 * - But a feed is silent in its baseline. To take one for silent that no longer is would lose its
 *   changes, so everything is read as it is while any baseline is due, and when one may begin: on
 *   the first run, and when a list is added by config.
 *
 * @param now milliseconds since 1970.
 */
export async function loadShard(
  store: StateStore,
  { partitions, catalog }: ShardOptions,
  now: number,
): Promise<ShardView> {
  const view = await store.loadShard(partitions);
  const projects = view.feeds.find(({ id }) => id === newFeed(catalog.projects, 'live').id);
  const isQuiet = projects?.knownPaths?.join() === perProjectPaths(catalog).join();
  // One that is put off is not polled, whatever it is: a list may be refused for ever.
  return isQuiet && view.feeds.every(({ phase, notBefore }) => phase === 'live' || notBefore > now)
    ? view
    : { ...view, feeds: await store.loadFeeds(partitions) };
}

/** Paths of the lists that are polled for every project. */
function perProjectPaths(catalog: Catalog): string[] {
  return catalog.perProject.map(({ path }) => path);
}

/** Adds the feeds that are missing; on the first run that is the projects feed. */
export async function openRegistry(
  store: StateStore,
  feeds: readonly Feed[],
  options: ShardOptions,
): Promise<FeedRegistry> {
  const { catalog } = options;
  const phase: Phase = options.baseline === 'emit' ? 'live' : 'baseline';
  const registry = new FeedRegistry(store, feeds);
  const knownPaths = perProjectPaths(catalog);
  const projects = newFeed(catalog.projects, phase);
  if (!registry.has(projects.id)) {
    await registry.add([{ ...projects, knownPaths }]);
    return registry;
  }
  const added = feedsOfNewResources(registry.get(projects.id), catalog, registry.all(), phase);
  await registry.add(added.filter((feed) => !registry.has(feed.id)));
  await registry.commit(projects.id, (feed) =>
    knownPaths.join() === feed.knownPaths?.join() ? feed : { ...feed, knownPaths },
  );
  return registry;
}
