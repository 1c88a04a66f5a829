/**
 * Loads the feeds of a run: those that lie in the partitions of its shard.
 *
 * - The reads are eventually consistent, at half the cost. A stale copy loses nothing: a commit
 *   that starts from it is refused, and the next run reads the feed again. Two kinds are read again
 *   at once, since their stale copies would have no conflict: a feed in its baseline, and the feeds
 *   of a deleted or restored project.
 * - Lists that config has added get their feeds here. All other feeds of projects come with the
 *   list of projects, see `sync-projects.ts`.
 */
import { chunksOf } from '../model/chunks.ts';
import { entityKey } from '../model/entity-state.ts';
import { feedPartition, feedPath, newFeed, type Feed, type Phase } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import { FeedRegistry, type Selection } from './feed-registry.ts';
import { PROJECTS_AT_ONCE } from './sync-projects.ts';

/** Options that decide which feeds exist. */
export interface FeedOptions extends Omit<Selection, 'isAllPaused'> {
  /** `silent`: entities found in a baseline raise no events; `emit`: they are `created`. */
  readonly baseline: 'silent' | 'emit';
}

/** Loads the feeds of a shard, and adds those of lists that config has added. */
export async function openRegistry(
  store: StateStore,
  { partitions, catalog, baseline }: FeedOptions,
): Promise<FeedRegistry> {
  const phase: Phase = baseline === 'emit' ? 'live' : 'baseline';
  const feeds = await store.loadShard(partitions);
  const isAllPaused = await store.loadAllPaused();
  const registry = new FeedRegistry(store, feeds, { partitions, catalog, isAllPaused });
  // They need no project, and lie in one partition.
  const ofAccount = partitions.includes(feedPartition({}))
    ? [catalog.projects, ...catalog.perAccount].map((resource) => newFeed(resource, phase))
    : [];
  await registry.add(ofAccount.filter(({ id }) => !registry.has(id)));
  for (const ids of chunksOf(projectsLackingLists(registry, catalog), PROJECTS_AT_ONCE)) {
    const projects = await livingProjects(ids, store, catalog);
    await registry.add(projects.flatMap((id) => lackingFeeds(id, phase, catalog, registry)));
  }
  return registry;
}

/** Ids of the projects that have feeds, but not for all lists of the catalog. */
function projectsLackingLists(registry: FeedRegistry, { perProject }: Catalog): string[] {
  const living = registry.all().filter(({ parked }) => parked === undefined);
  const projects = new Set(living.flatMap(({ projectId }) => projectId ?? []));
  return [...projects].filter((project) =>
    perProject.some((resource) => !registry.has(feedPath(resource, project).slice(1))),
  );
}

/**
 * The projects that the mirror has, and not as deleted. The list of projects adds the feeds of all
 * others.
 */
async function livingProjects(
  ids: readonly string[],
  store: StateStore,
  { projects }: Catalog,
): Promise<readonly string[]> {
  const keyOf = (id: string) => entityKey(projects.entity, id);
  const states = await store.loadStates(projects.path.slice(1), ids.map(keyOf));
  return ids.filter((id) => states.get(keyOf(id))?.deleted === false);
}

/** The feeds of lists that config has added: they start in the phase of a first deployment. */
function lackingFeeds(
  projectId: string,
  phase: Phase,
  { perProject }: Catalog,
  registry: FeedRegistry,
): Feed[] {
  const [accountId] = registry.ofProject(projectId).map((id) => registry.get(id).accountId);
  const project = { id: projectId, ...(accountId && { accountId }) };
  return perProject.map((resource) => newFeed(resource, phase, project));
}
