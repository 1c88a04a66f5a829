import type { JsonObject } from '../model/entity.ts';
import { newFeed, type Feed } from '../model/feed.ts';
import { accountOf, type ProjectState } from '../model/project-state.ts';
import { selectsByName, type Catalog, type Resource } from '../model/resource-catalog.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** The effect of added and removed projects on the feeds. */
export interface SyncedFeeds {
  /** Ids of feeds to poll in this run: new, resumed or just parked. */
  readonly due: readonly string[];
  readonly parkedCount: number;
}

/**
 * Adds, parks and resumes the feeds of the projects on a page. The projects' states decide, not their
 * changes, so that a page that is read again after a crash has the same effect.
 *
 * - A project without feeds gets them in the phase of the projects feed: baseline during its first pass,
 *   then live, so that their content is emitted as `created`.
 * - A project that is restored after it was forgotten is new: see forgetProjects.
 * - A project that was deleted whenever it was seen, and is restored, gets them in a baseline of its own:
 *   only what changed since the first baseline is emitted.
 * - The feeds of a deleted project are parked. They are polled once more in this run, for changes just
 *   before the deletion, and then rarely.
 * - The feeds of a restored project continue from their cursors. A refused feed is retried at once when
 *   its project changed.
 */
export async function syncProjects(
  projects: readonly ProjectState[],
  projectsFeed: Feed,
  catalog: Catalog,
  registry: FeedRegistry,
  now: number,
): Promise<SyncedFeeds> {
  const added = projects
    .filter(({ deleted }) => !deleted)
    .flatMap((project) =>
      catalog.perProject
        .map((resource) => newFeedOf(project, resource, projectsFeed))
        .map((feed) => withName(feed, project.entity, catalog))
        .filter((feed) => !registry.has(feed.id)),
    );
  await registry.add(added);
  const due = added.map(({ id }) => id);
  let parkedCount = 0;
  for (const project of projects) {
    // Including lists that config has removed: they may come back later.
    for (const id of registry.ofProject(project.entity.id)) {
      await registry.commit(id, (feed) => {
        const synced = withName(syncFeed(feed, project, now), project.entity, catalog);
        if (synced.parked !== feed.parked || synced.notBefore !== feed.notBefore) due.push(id);
        if (synced.parked !== undefined && feed.parked === undefined) parkedCount += 1;
        return synced;
      });
    }
  }
  return { due, parkedCount };
}

function newFeedOf(
  { entity, wasDeleted }: ProjectState,
  resource: Resource,
  { phase, baselineAt }: Feed,
): Feed {
  const silentUntil = phase === 'live' && wasDeleted ? baselineAt : undefined;
  const ownPhase = silentUntil === undefined ? phase : 'baseline';
  const feed = newFeed(resource, ownPhase, { id: entity.id, ...accountOf(entity) });
  return silentUntil === undefined ? feed : { ...feed, silentUntil };
}

function syncFeed(feed: Feed, project: ProjectState, now: number): Feed {
  const owned = { ...feed, ...accountOf(project.entity) };
  if (project.deleted) {
    const deletedSince = now;
    if (feed.parked === 'project-deleted')
      return project.changed ? { ...owned, deletedSince } : owned;
    return { ...owned, parked: 'project-deleted', deletedSince, failures: 0, notBefore: 0 };
  }
  if (feed.parked === 'project-deleted') {
    const { parked, deletedSince, ...resumed } = owned;
    return { ...resumed, failures: 0, notBefore: 0 };
  }
  return feed.parked === 'refused' && project.changed ? { ...owned, notBefore: 0 } : owned;
}

/** The feed with its project's name, if that decides what is polled or ever did: it must not be outdated then. */
export function withName(
  feed: Feed,
  project: JsonObject | undefined,
  { selection }: Catalog,
): Feed {
  if (feed.projectName === undefined && !selectsByName(selection)) return feed;
  const name = project?.['name'];
  return { ...feed, projectName: typeof name === 'string' ? name : '' };
}

/**
 * Feeds for resources that config added since the projects feed was last polled, for each project that
 * has feeds. They start in the phase of a first deployment.
 */
export function feedsOfNewResources(
  projectsFeed: Feed,
  catalog: Catalog,
  feeds: readonly Feed[],
  phase: Feed['phase'],
): Feed[] {
  const knownPaths = new Set(projectsFeed.knownPaths);
  const added = catalog.perProject.filter(({ path }) => !knownPaths.has(path));
  const projects = new Map(
    feeds.flatMap((feed) => (feed.projectId ? [[feed.projectId, feed]] : [])),
  );
  return added.flatMap((resource) =>
    [...projects].map(([id, { accountId, parked }]) => ({
      ...newFeed(resource, phase, { id, ...(accountId !== undefined && { accountId }) }),
      ...(parked === 'project-deleted' && { parked }),
    })),
  );
}
