import type { EntityState } from '../model/entity-state.ts';
import { feedPath, newFeed, type Feed, type Phase } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { FeedRegistry } from './feed-registry.ts';

/**
 * Ids of the projects that have feeds, but not for all lists of the catalog. A deleted one gets those that it
 * lacks when it is restored.
 */
export function projectsLackingLists(feeds: readonly Feed[], { perProject }: Catalog): string[] {
  const ids = new Set(feeds.map(({ id }) => id));
  const projects = new Set(
    feeds.flatMap(({ projectId, parked }) =>
      projectId === undefined || parked === 'project-deleted' ? [] : projectId,
    ),
  );
  return [...projects].filter((project) =>
    perProject.some((resource) => !ids.has(feedPath(resource, project).slice(1))),
  );
}

/**
 * Feeds for resources that config added, of a project that has feeds for others. They start in the phase
 * of a first deployment.
 *
 * None for a project whose state is not saved as live: it is deleted, and gets all feeds when it is restored,
 * or a run died while it added the feeds, and the next page, or order, adds the others.
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
  if (state?.deleted !== false) return [];
  const [first] = registry.ofProject(projectId);
  const accountId = first === undefined ? undefined : registry.get(first).accountId;
  const project = { id: projectId, ...(accountId !== undefined && { accountId }) };
  return catalog.perProject
    .map((resource) => newFeed(resource, phase, project))
    .filter(({ id }) => !registry.has(id));
}
