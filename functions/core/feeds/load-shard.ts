import { entityKey, type EntityState } from '../model/entity-state.ts';
import { feedPartition, isPolled, newFeed, type Feed, type Phase } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { ShardView, StateStore } from '../ports/state-store.ts';
import { withLegalWait } from './feed-lifecycle.ts';
import { FeedRegistry } from './feed-registry.ts';
import { lackingFeeds, projectsLackingLists } from './lacking-feeds.ts';

/** Options that decide which feeds exist. */
export interface ShardOptions {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  /** `silent`: entities found in a baseline raise no events; `emit`: they are `created`. */
  readonly baseline: 'silent' | 'emit';
}

/** A shard as it is loaded. */
export interface LoadedShard extends ShardView {
  /** Ids of projects that lack some of the catalog's lists. */
  readonly lackingProjects: readonly string[];
}

/** When a shard is loaded. */
interface Loading {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** After an outage also waiting feeds are polled, so they must not be stale. */
  readonly canWake?: boolean;
  /** The first run of a shard takes over from others: it must not miss their last orders. */
  readonly isFirst?: boolean;
}

/**
 * Loads the feeds, orders and poll history of a shard. They are loaded with eventually consistent reads, at
 * half the cost, wherever stale data is harmless:
 *
 * - Entity states are read consistently. So a stale cursor only repeats pages without changes; a commit
 *   that starts from it is refused, and the next run reads the page again.
 * - A feed that was just added is polled one run later. Adding it again is refused.
 * - A feed that was just parked or resumed keeps its old wait, at most an hour.
 * - An order that was just left is carried out one run later. One that was carried out already must not be
 *   carried out again: it may be outdated. So orders are read again, consistently, and so are commands.
 * - A feed wrongly taken for one in its baseline would lose changes. So all feeds are read consistently
 *   while a baseline is due or may begin: in a new table, and when config adds a list.
 */
export async function loadShard(
  store: StateStore,
  { partitions, catalog }: ShardOptions,
  { now, canWake = false, isFirst = false }: Loading,
): Promise<LoadedShard> {
  const toLoaded = (view: ShardView): LoadedShard => {
    const feeds = view.feeds.map((feed) => withLegalWait(feed, now));
    return { ...view, feeds, lackingProjects: projectsLackingLists(feeds, catalog) };
  };
  const view = toLoaded(await store.loadShard(partitions));
  const ids = new Set(view.feeds.map(({ id }) => id));
  // What is not polled may be in its baseline forever: a refused list, a paused one, and one that is not selected.
  const mayBeStale =
    !isFirst &&
    view.orders.length === 0 &&
    view.commands.length === 0 &&
    view.lackingProjects.length === 0 &&
    feedsOfAccount(partitions, catalog, 'live').every(({ id }) => ids.has(id)) &&
    view.feeds.every(
      (feed) =>
        feed.phase === 'live' || (feed.notBefore > now && !canWake) || !isPolled(catalog, feed),
    );
  if (mayBeStale) return view;
  const [feeds, orders, commands] = await Promise.all([
    store.loadFeeds(partitions),
    store.loadOrders(partitions),
    store.loadCommands(partitions),
  ]);
  return toLoaded({ ...view, feeds, orders, commands });
}

/** The feeds that need no project, which are all in one partition: none for a shard without it. */
function feedsOfAccount(
  partitions: readonly number[],
  { projects, perAccount }: Catalog,
  phase: Phase,
): Feed[] {
  if (!partitions.includes(feedPartition({}))) return [];
  return [projects, ...perAccount].map((resource) => newFeed(resource, phase));
}

/** Adds missing feeds. In a new table the baseline of the projects feed finds those of projects. */
export async function openRegistry(
  store: StateStore,
  shard: LoadedShard,
  options: ShardOptions,
): Promise<FeedRegistry> {
  const { catalog } = options;
  const phase: Phase = options.baseline === 'emit' ? 'live' : 'baseline';
  const registry = new FeedRegistry(store, shard.feeds);
  const ofAccount = feedsOfAccount(options.partitions, catalog, phase);
  await registry.add(ofAccount.filter(({ id }) => !registry.has(id)));
  const born = new Set(shard.orders.flatMap(({ projectId, birth }) => (birth ? projectId : [])));
  const lacking = shard.lackingProjects.filter((id) => !born.has(id));
  for await (const [id, state] of statesOf(lacking, store, catalog)) {
    await registry.add(lackingFeeds(id, state, { catalog, registry, phase }));
  }
  return registry;
}

/** States that are loaded at once. */
const STATES_AT_ONCE = 500;

/** The saved states of projects, by id. */
async function* statesOf(
  ids: readonly string[],
  store: StateStore,
  { projects }: Catalog,
): AsyncGenerator<readonly [id: string, state: EntityState | undefined]> {
  for (let start = 0; start < ids.length; start += STATES_AT_ONCE) {
    const some = ids.slice(start, start + STATES_AT_ONCE);
    const keyOf = (id: string) => entityKey(projects.entity, id);
    const states = await store.loadStates(projects.path.slice(1), some.map(keyOf));
    for (const id of some) yield [id, states.get(keyOf(id))];
  }
}
