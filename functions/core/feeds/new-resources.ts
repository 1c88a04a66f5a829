import type { EntityState } from '../model/entity-state.ts';
import { feedPath, newFeed, type Feed, type Phase } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** Ids of the projects that have feeds, but not for all lists of the catalog. */
export function projectsLackingLists(feeds: readonly Feed[], { perProject }: Catalog): string[] {
  const ids = new Set(feeds.map(({ id }) => id));
  const projects = new Set(feeds.flatMap(({ projectId }) => projectId ?? []));
  return [...projects].filter((project) =>
    perProject.some((resource) => !ids.has(feedPath(resource, project).slice(1))),
  );
}

/**
 * Feeds for resources that config added, of a project that has feeds for others. They start in the phase
 * of a first deployment.
 *
 * None for a project whose state is not saved as live yet: a run died while it added the feeds, and the
 * next page, or order, adds the others.
 */
export function feedsOfNewResources(
  projectId: string,
  state: Pick<EntityState, 'deleted'> | undefined,
  options: {
    readonly catalog: Catalog;
    readonly registry: FeedRegistry;
    readonly phase: Phase;
  },
): Feed[] {
  const { catalog, registry, phase } = options;
  const [first] = registry.ofProject(projectId).map((id) => registry.get(id));
  const isDeleted = first?.parked === 'project-deleted';
  if (!isDeleted && state?.deleted !== false) return [];
  const accountId = first?.accountId;
  const project = { id: projectId, ...(accountId !== undefined && { accountId }) };
  return catalog.perProject
    .map((resource) => newFeed(resource, phase, project))
    .filter(({ id }) => !registry.has(id))
    .map((feed) => (isDeleted ? { ...feed, parked: 'project-deleted' } : feed));
}
