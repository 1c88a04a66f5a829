/**
 * Makes the feeds of projects follow the list of projects, also in partitions of other shards.
 *
 * - A project without feeds gets them in the phase of the projects feed: baseline during its first
 *   pass, then live, so that its content is published as `created`.
 * - The feeds of a deleted project are parked, and go on from their cursors when it is restored.
 *
 * Call it before the projects' own states are saved: a project with a state has its feeds. The
 * state decides, not the change, so that a repeat after a crash has the same effect. Each write is
 * conditional: a feed that its own shard or an operator writes meanwhile is read again, and follows
 * then.
 */
import { chunksOf } from '../model/chunks.ts';
import type { ProjectState } from '../model/entity-state.ts';
import { accountOf, idOf } from '../model/entity.ts';
import { FeedConflictError } from '../model/errors.ts';
import { feedPath, newFeed, type Feed } from '../model/feed.ts';
import type { Timestamp } from '../model/timestamp.ts';
import type { FeedRegistry } from './feed-registry.ts';
import { park, unpark } from './health.ts';

/** Projects whose feeds are written at once. */
export const PROJECTS_AT_ONCE = 100;

/** Tries to change a feed that others change, too. */
const MAX_TRIES = 5;

/** The projects feed, and when the poll of its list began. */
export interface ProjectsPage {
  readonly feed: Feed;
  readonly beganAt: Timestamp;
}

/**
 * Adds, parks and resumes the feeds of the projects on a page.
 *
 * @returns ids of feeds to poll in this run: new, resumed or just parked.
 */
export async function syncProjects(
  projects: readonly ProjectState[],
  page: ProjectsPage,
  registry: FeedRegistry,
): Promise<readonly string[]> {
  const due: string[] = [];
  for (const some of chunksOf(projects, PROJECTS_AT_ONCE)) {
    const missing = some.filter(({ deleted, wasDeleted }) => !deleted && wasDeleted !== false);
    const added = await registry.add(
      missing.flatMap((project) => newFeedsOf(project, page, registry)),
    );
    due.push(...added);
    const feeds = await existingFeeds(some, new Set(added), registry);
    const followed = await Promise.allSettled(
      feeds.map(async ([before, project]) => {
        const after = await followProject(before, project, registry);
        if (isParked(after) !== isParked(before)) due.push(after.id);
      }),
    );
    // Thrown once all have ended: none may write after the run has freed its lease.
    for (const each of followed) if (each.status === 'rejected') throw each.reason;
  }
  return due.filter((id) => registry.has(id));
}

/** The feeds that a project gets now. */
function newFeedsOf(project: ProjectState, page: ProjectsPage, registry: FeedRegistry): Feed[] {
  const identity = { id: idOf(project.entity), ...accountOf(project.entity) };
  const { phase, baselineAt = page.beganAt } = page.feed;
  const beginning = phase === 'baseline' && { baselineAt };
  return registry.catalog.perProject.map((resource) => ({
    ...newFeed(resource, phase, identity),
    ...beginning,
  }));
}

/**
 * The feeds that projects have, also those of lists that config has removed. The table has those of
 * other shards. It decides also for a project that was deleted or restored: the copy of this run
 * may be older than what others have written.
 */
async function existingFeeds(
  projects: readonly ProjectState[],
  added: ReadonlySet<string>,
  registry: FeedRegistry,
): Promise<readonly (readonly [Feed, ProjectState])[]> {
  const byId = new Map(projects.map((project) => [idOf(project.entity), project]));
  const hasMoved = ({ projectId = '' }: Feed): boolean => {
    const project = byId.get(projectId);
    return project?.wasDeleted !== project?.deleted;
  };
  const ids = [...byId.keys()];
  const own = ids.flatMap((id) => registry.ofProject(id)).map((id) => registry.get(id));
  const others = ids
    .flatMap((id) =>
      registry.catalog.perProject.map((resource) => ({
        id: feedPath(resource, id).slice(1),
        projectId: id,
      })),
    )
    .filter(({ id }) => !registry.has(id));
  const stored = [...own.filter(hasMoved), ...others].filter(({ id }) => !added.has(id));
  const loaded = await registry.loadStored(stored);
  return [...own.filter((feed) => !hasMoved(feed)), ...loaded].flatMap((feed) => {
    const project = byId.get(feed.projectId ?? '');
    return project === undefined ? [] : [[feed, project] as const];
  });
}

/** Parks or unparks a feed after its project, on top of the writes of others. */
async function followProject(
  feed: Feed,
  { entity, deleted }: ProjectState,
  registry: FeedRegistry,
): Promise<Feed> {
  const follow = (current: Feed): Feed => {
    const owned = { ...current, ...accountOf(entity) };
    return deleted ? park(owned) : unpark(owned);
  };
  let current = feed;
  for (let tries = 1; ; tries += 1) {
    const next = follow(current);
    if (isParked(next) === isParked(current) && next.accountId === current.accountId)
      return current;
    try {
      // If others wrote the feed, the registry keeps its copy: the poll of that list must not
      // commit over their write.
      const isOwn = registry.has(feed.id) && registry.get(feed.id).revision === current.revision;
      return await (isOwn ? registry.commit(feed.id, follow) : registry.commitStored(next));
    } catch (error) {
      if (!(error instanceof FeedConflictError) || tries === MAX_TRIES) throw error;
    }
    const [latest] = await registry.loadStored([feed]);
    if (latest === undefined) return current;
    current = latest;
  }
}

function isParked({ parked }: Feed): boolean {
  return parked !== undefined;
}
