import type { ProjectState } from '../model/entity-state.ts';
/**
 * Makes the feeds of projects follow the list of projects, wherever their partition lies.
 *
 * - A project without feeds gets them in the phase of the projects feed: baseline during its first
 *   pass, then live, so that their content is emitted as `created`.
 * - A project that was deleted whenever it was seen, and is restored, gets them in a baseline of
 *   its own: only what changed since the first baseline is emitted.
 * - The feeds of a deleted project are parked. They are polled once more, for changes just before
 *   the deletion, and then once a day.
 * - The feeds of a restored project continue from their cursors.
 *
 * Call it before the projects' own states are saved: a project with a state has its feeds. The
 * state decides, not the change, so that a repeat after a crash has the same effect. Each write is
 * conditional: a feed that its own shard or an operator writes meanwhile is read again, and follows
 * then.
 */
import { accountOf, idOf } from '../model/entity.ts';
import { FeedConflictError } from '../model/errors.ts';
import { feedPartition, newFeed, type Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';
import { park, unpark } from './health.ts';

/** The projects feed, and when the poll of its list began. */
export interface ProjectsPage {
  readonly feed: Feed;
  readonly beganAt: Timestamp;
}

/** What the feeds are found with. */
export interface SyncContext {
  /** The partitions whose feeds the registry has. */
  readonly partitions: readonly number[];
  readonly catalog: Catalog;
  readonly registry: FeedRegistry;
  readonly store: Pick<StateStore, 'addFeeds' | 'commitFeed' | 'loadFeedsById'>;
}

/** The effect of added and removed projects on the feeds. */
export interface SyncedFeeds {
  /** Ids of feeds to poll in this run: new, resumed or just parked. */
  readonly due: readonly string[];
  readonly parkedCount: number;
}

/** Projects whose feeds are written at once. */
const PROJECTS_AT_ONCE = 100;

/** Tries to change a feed that others change, too. */
const MAX_TRIES = 5;

/** Adds, parks and resumes the feeds of the projects on a page. */
export async function syncProjects(
  projects: readonly ProjectState[],
  projectsPage: ProjectsPage,
  context: SyncContext,
): Promise<SyncedFeeds> {
  const due: string[] = [];
  let parkedCount = 0;
  for (let start = 0; start < projects.length; start += PROJECTS_AT_ONCE) {
    const some = projects.slice(start, start + PROJECTS_AT_ONCE);
    const added = await addFeeds(some, projectsPage, context);
    const others = await loadOthers(some, added, context);
    const followed = await Promise.all(
      some.map((project) => followProject(project, others, context)),
    );
    due.push(...added, ...followed.flatMap((each) => each.due));
    for (const each of followed) parkedCount += each.parkedCount;
  }
  return { due: due.filter((id) => context.registry.has(id)), parkedCount };
}

/** Adds the feeds that projects get now. @returns their ids. */
async function addFeeds(
  projects: readonly ProjectState[],
  projectsPage: ProjectsPage,
  { catalog, registry, store, partitions }: SyncContext,
): Promise<ReadonlySet<string>> {
  const missing = projects
    .filter(({ deleted, saved }) => !deleted && saved?.deleted !== false)
    .flatMap((project) => newFeedsOf(project, projectsPage, catalog))
    .filter(({ id }) => !registry.has(id));
  const isOwn = (feed: Feed): boolean => partitions.includes(feedPartition(feed));
  const others = missing.filter((feed) => !isOwn(feed));
  const existing = new Set(others.length > 0 ? await store.addFeeds(others) : []);
  const own = await registry.add(missing.filter(isOwn));
  return new Set([...own, ...others.map(({ id }) => id).filter((id) => !existing.has(id))]);
}

/** The feeds of projects that this run does not have, by project: mostly those of other shards. */
async function loadOthers(
  projects: readonly ProjectState[],
  added: ReadonlySet<string>,
  { catalog, registry, store }: SyncContext,
): Promise<ReadonlyMap<string, readonly Feed[]>> {
  const wanted = projects
    .flatMap(({ entity }) =>
      catalog.perProject.map((resource) => newFeed(resource, 'live', { id: idOf(entity) })),
    )
    .filter(({ id }) => !registry.has(id) && !added.has(id));
  const found = wanted.length > 0 ? await store.loadFeedsById(wanted) : new Map<string, Feed>();
  return Map.groupBy(found.values(), ({ projectId = '' }) => projectId);
}

function newFeedsOf(
  project: ProjectState,
  projectsPage: ProjectsPage,
  { perProject }: Catalog,
): Feed[] {
  const { entity } = project;
  const identity = { id: idOf(entity), ...accountOf(entity) };
  const beginning = beginningOf(project, projectsPage);
  return perProject.map((resource) => ({
    ...newFeed(resource, beginning.phase, identity),
    ...beginning,
  }));
}

/** How the feeds of a project begin. */
function beginningOf(
  { saved }: ProjectState,
  { feed: { phase, baselineAt }, beganAt }: ProjectsPage,
): Pick<Feed, 'phase' | 'baselineAt'> {
  if (phase === 'baseline') return { phase, baselineAt: baselineAt ?? beganAt };
  const wasDeleted = saved?.deleted && baselineAt !== undefined;
  return wasDeleted ? { phase: 'baseline', baselineAt } : { phase };
}

/** Parks or resumes the feeds that a project has, also those of lists that config has removed. */
async function followProject(
  project: ProjectState,
  others: ReadonlyMap<string, readonly Feed[]>,
  context: SyncContext,
): Promise<SyncedFeeds> {
  const { registry } = context;
  const projectId = idOf(project.entity);
  const own = registry.ofProject(projectId).map((id) => registry.get(id));
  const due: string[] = [];
  let parkedCount = 0;
  for (const feed of [...own, ...(others.get(projectId) ?? [])]) {
    const synced = await followFeed(feed, project, context);
    if (synced.parked !== feed.parked) due.push(feed.id);
    if (synced.parked !== undefined && feed.parked === undefined) parkedCount += 1;
  }
  return { due, parkedCount };
}

/** Commits a feed as its project wants it, on top of what others have written meanwhile. */
async function followFeed(
  feed: Feed,
  project: ProjectState,
  { registry, store }: SyncContext,
): Promise<Feed> {
  const follow = (current: Feed): Feed => afterProject(current, project);
  let current = feed;
  for (let tries = 1; ; tries += 1) {
    const next = follow(current);
    if (isFollowing(current, next)) return current;
    try {
      // The registry of this run knows a first try. Its copy is outdated after a conflict, and
      // stays so: what
      // polls that list must not commit over the others' write.
      const isOwn = tries === 1 && registry.has(feed.id);
      return await (isOwn ? registry.commit(feed.id, follow) : store.commitFeed(next));
    } catch (error) {
      if (!(error instanceof FeedConflictError) || tries === MAX_TRIES) throw error;
    }
    const latest = (await store.loadFeedsById([feed])).get(feed.id);
    if (latest === undefined) return current;
    current = latest;
  }
}

function isFollowing(current: Feed, next: Feed): boolean {
  return current.parked === next.parked && current.accountId === next.accountId;
}

/** The feed as its project wants it. */
function afterProject(feed: Feed, { entity, deleted }: ProjectState): Feed {
  const owned = { ...feed, ...accountOf(entity) };
  return deleted ? park(owned) : unpark(owned);
}
