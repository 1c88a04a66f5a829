import { entityKey } from '../model/entity-state.ts';
import { newFeed, resourceOf, type Feed, type Phase } from '../model/feed.ts';
import { selectsByName, type Catalog } from '../model/resource-catalog.ts';
import type { ShardView, StateStore } from '../ports/state-store.ts';
import { withLegalWait } from './feed-lifecycle.ts';
import { FeedRegistry } from './feed-registry.ts';
import { feedsOfNewResources, withName } from './sync-projects.ts';

/** Options that decide which feeds exist. */
export interface ShardOptions {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  /** `silent`: entities found in a baseline raise no events; `emit`: they are `created`. */
  readonly baseline: 'silent' | 'emit';
}

/**
 * Loads the feeds and the poll history of a shard. Feeds are loaded with eventually consistent reads, at
 * half the cost, wherever stale data is harmless:
 *
 * - Entity states are read consistently. So a stale cursor only repeats pages without changes; a commit
 *   that starts from it is refused, and the next run reads the page again.
 * - A feed that was just added is polled one run later. Adding it again is refused.
 * - A feed that was just parked or resumed keeps its old wait, at most an hour.
 * - A feed wrongly taken for one in its baseline would lose changes. So all feeds are read consistently
 *   while a baseline is due or may begin: in a new table, and when config adds a list.
 *
 * @param options.now milliseconds since 1970.
 * @param options.canWake after an outage also waiting feeds are polled, so they must not be stale.
 */
export async function loadShard(
  store: StateStore,
  { partitions, catalog }: ShardOptions,
  { now, canWake = false }: { readonly now: number; readonly canWake?: boolean },
): Promise<ShardView> {
  const stored = await store.loadShard(partitions);
  const view = { ...stored, feeds: stored.feeds.map((feed) => withLegalWait(feed, now)) };
  const projects = view.feeds.find(({ id }) => id === newFeed(catalog.projects, 'live').id);
  const isCatalogKnown = projects?.knownPaths?.join() === perProjectPaths(catalog).join();
  // What is not polled may be in its baseline forever: a refused list, and one that is not selected.
  const mayBeStale =
    isCatalogKnown &&
    view.feeds.every(
      (feed) =>
        feed.phase === 'live' ||
        (feed.notBefore > now && !canWake) ||
        resourceOf(catalog, feed) === undefined,
    );
  if (mayBeStale) return view;
  const feeds = await store.loadFeeds(partitions);
  return { ...view, feeds: feeds.map((feed) => withLegalWait(feed, now)) };
}

/** Paths of the lists that are polled for every project. */
function perProjectPaths(catalog: Catalog): string[] {
  return catalog.perProject.map(({ path }) => path);
}

/** Adds missing feeds; in a new table that is the projects feed, whose baseline finds the others. */
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
  if (selectsByName(catalog.selection)) await nameFeeds(registry, store, catalog);
  return registry;
}

/** States that are loaded at once. */
const STATES_AT_ONCE = 500;

/** Adds the names of their projects to feeds that have none, since config selects by name only now. */
async function nameFeeds(
  registry: FeedRegistry,
  store: StateStore,
  catalog: Catalog,
): Promise<void> {
  const nameless = registry
    .all()
    .filter(({ projectId, projectName }) => projectId !== undefined && projectName === undefined);
  const ids = [...new Set(nameless.map(({ projectId = '' }) => projectId))];
  const { entity, path } = catalog.projects;
  for (let start = 0; start < ids.length; start += STATES_AT_ONCE) {
    const keys = new Map(
      ids.slice(start, start + STATES_AT_ONCE).map((id) => [id, entityKey(entity, id)]),
    );
    const states = await store.loadStates(path.slice(1), [...keys.values()]);
    const commits = [...keys].flatMap(([projectId, key]) =>
      registry
        .ofProject(projectId)
        .map((id) =>
          registry.commit(id, (feed) => withName(feed, states.get(key)?.content?.(), catalog)),
        ),
    );
    await Promise.all(commits);
  }
}
