/**
 * Which feeds a run has: those that lie in the partitions of its shard.
 *
 * - They are read with eventually consistent reads, at half the cost. A stale copy loses nothing: a
 *   commit that starts from it is refused, and the next run reads the feed again.
 * - A feed wrongly taken for one in its baseline would lose changes. So all are read consistently
 *   while a baseline is due or may begin: in a new table, and when config adds a list.
 * - Lists that config adds are added here. All other feeds of projects come with the list of
 *   projects, see `sync-projects.ts`.
 */
import { entityKey } from '../model/entity-state.ts';
import {
  dueAt,
  feedPartition,
  feedPath,
  isPolled,
  newFeed,
  type Feed,
  type Phase,
} from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import { FeedRegistry } from './feed-registry.ts';
import { withLegalTimes } from './health.ts';

/** Options that decide which feeds exist. */
export interface FeedOptions {
  /** The partitions of the table whose feeds the shard owns. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  /** `silent`: entities found in a baseline raise no events; `emit`: they are `created`. */
  readonly baseline: 'silent' | 'emit';
}

/** Loads the feeds of a shard. @param now milliseconds since 1970. */
export async function loadFeeds(
  store: StateStore,
  options: FeedOptions,
  now: number,
): Promise<readonly Feed[]> {
  const { partitions, catalog } = options;
  const loaded = await store.loadShard(partitions);
  const mayEndBaseline = (feed: Feed): boolean =>
    feed.phase === 'baseline' && dueAt(feed) <= now && isPolled(catalog, feed);
  const feeds = loaded.map((feed) => withLegalTimes(feed, now));
  const ids = new Set(feeds.map(({ id }) => id));
  const mayBeStale =
    projectsLackingLists(feeds, catalog).length === 0 &&
    feedsOfAccount(options, 'live').every(({ id }) => ids.has(id)) &&
    !feeds.some(mayEndBaseline);
  if (mayBeStale) return feeds;
  return (await store.loadFeeds(partitions)).map((feed) => withLegalTimes(feed, now));
}

/**
 * Adds the feeds that config calls for. In a new table the list of projects finds those of
 * projects.
 */
export async function openRegistry(
  store: StateStore,
  feeds: readonly Feed[],
  options: FeedOptions,
): Promise<FeedRegistry> {
  const { catalog } = options;
  const phase: Phase = options.baseline === 'emit' ? 'live' : 'baseline';
  const registry = new FeedRegistry(store, feeds);
  const ofAccount = feedsOfAccount(options, phase);
  await registry.add(ofAccount.filter(({ id }) => !registry.has(id)));
  const lacking = projectsLackingLists(feeds, catalog);
  for await (const ids of projectsInMirror(lacking, store, catalog)) {
    await registry.add(ids.flatMap((id) => lackingFeeds(id, phase, catalog, registry)));
  }
  return registry;
}

/** The feeds that need no project, which are all in one partition: none for a shard without it. */
function feedsOfAccount({ partitions, catalog }: FeedOptions, phase: Phase): Feed[] {
  if (!partitions.includes(feedPartition({}))) return [];
  return [catalog.projects, ...catalog.perAccount].map((resource) => newFeed(resource, phase));
}

/** Ids of the projects that have feeds, but not for all lists of the catalog. */
function projectsLackingLists(feeds: readonly Feed[], { perProject }: Catalog): string[] {
  const ids = new Set(feeds.map(({ id }) => id));
  const projects = new Set(
    feeds.flatMap(({ projectId, parked }) =>
      projectId === undefined || parked !== undefined ? [] : projectId,
    ),
  );
  return [...projects].filter((project) =>
    perProject.some((resource) => !ids.has(feedPath(resource, project).slice(1))),
  );
}

/** The feeds of lists that config has added: they start in the phase of a first deployment. */
function lackingFeeds(
  projectId: string,
  phase: Phase,
  { perProject }: Catalog,
  registry: FeedRegistry,
): Feed[] {
  const [accountId] = registry.ofProject(projectId).map((id) => registry.get(id).accountId);
  const project = { id: projectId, ...(accountId !== undefined && { accountId }) };
  return perProject
    .map((resource) => newFeed(resource, phase, project))
    .filter(({ id }) => !registry.has(id));
}

/** Projects whose lists are added at once. */
const PROJECTS_AT_ONCE = 500;

/**
 * Those of the projects that the mirror has, and not as deleted. Of others the list of projects is
 * still adding the feeds, and shows them again.
 */
async function* projectsInMirror(
  ids: readonly string[],
  store: StateStore,
  { projects }: Catalog,
): AsyncGenerator<readonly string[]> {
  for (let start = 0; start < ids.length; start += PROJECTS_AT_ONCE) {
    const some = ids.slice(start, start + PROJECTS_AT_ONCE);
    const keyOf = (id: string) => entityKey(projects.entity, id);
    const states = await store.loadStates(projects.path.slice(1), some.map(keyOf));
    yield some.filter((id) => states.get(keyOf(id))?.deleted === false);
  }
}
