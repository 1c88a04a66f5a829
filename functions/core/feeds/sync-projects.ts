import { newFeed, type Feed } from '../model/feed.ts';
import type { FeedRegistry } from './feed-registry.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import { type ProjectState } from '../model/project-state.ts';

/** How projects that come and go changed the feeds. */
export interface FeedsOfProjects {
  /** Ids of feeds to poll in this run: new, resumed, or looked at once more. */
  readonly due: readonly string[];
  /** How many feeds were parked. */
  readonly parked: number;
}

/**
 * Brings the feeds of the projects on a page in line with the projects. Feeds are made, parked and
 * resumed by where a project stands, not by what changed, so that a page that is read again after a
 * crash does the same.
 *
 * - A project without feeds gets them, in the phase of the projects feed: baseline while the first
 *   pass lasts, live after it, so that its content is emitted as `created`.
 * - The feeds of a deleted project are parked. They are looked at once more in this run, for what
 *   changed just before the deletion, and then rarely.
 * - The feeds of a restored project go on where they stopped. One that the service refused need not
 *   wait out its hour when its project changed: it is asked again at once.
 */
export async function syncProjects(
  latest: readonly ProjectState[],
  projectsFeed: Feed,
  catalog: Catalog,
  registry: FeedRegistry,
): Promise<FeedsOfProjects> {
  const found = latest
    .filter(({ deleted }) => !deleted)
    .flatMap((project) =>
      catalog.perProject
        .map((resource) => newFeed(resource, projectsFeed.phase, projectOf(project)))
        .filter((feed) => !registry.has(feed.id)),
    );
  await registry.add(found);
  const due = found.map((feed) => feed.id);
  let parked = 0;
  for (const project of latest) {
    // Not only those of the catalog: a list that config leaves out now may come back later.
    for (const id of registry.ofProject(project.entity.id)) {
      await registry.commit(id, (feed) => {
        const after = follow(feed, project);
        if (after.parked !== feed.parked || after.notBefore !== feed.notBefore) due.push(id);
        if (after.parked !== undefined && feed.parked === undefined) parked += 1;
        return after;
      });
    }
  }
  return { due, parked };
}

function follow(feed: Feed, project: ProjectState): Feed {
  const { accountId } = projectOf(project);
  const ours = accountId === undefined ? feed : { ...feed, accountId };
  if (project.deleted) {
    return feed.parked === 'project-deleted'
      ? ours
      : { ...ours, parked: 'project-deleted', failures: 0, notBefore: 0 };
  }
  if (feed.parked === 'project-deleted') {
    const { parked, ...resumed } = ours;
    return { ...resumed, failures: 0, notBefore: 0 };
  }
  return feed.parked === 'refused' && project.changed ? { ...ours, notBefore: 0 } : ours;
}

function projectOf({ entity }: ProjectState): { id: string; accountId?: string } {
  const account = entity['account_id'];
  return typeof account === 'number' || typeof account === 'string'
    ? { id: entity.id, accountId: String(account) }
    : { id: entity.id };
}

/**
 * Feeds for resources that config added since the projects feed was last polled, for every project
 * that has feeds already. They start like the first deployment did.
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
