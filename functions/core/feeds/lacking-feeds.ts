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
 * The feeds that a project lacks, which has feeds for other resources. Config added these resources: they start
 * in the phase of a first deployment. Or a run died while it added the feeds of a new project, whose state is not
 * saved: then they start as the others did. The next page may not show that project any more.
 *
 * None for a deleted project, which gets all feeds when it is restored.
 */
export function lackingFeeds(
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
  if (state?.deleted === true || first === undefined) return [];
  const { accountId, silentUntil, revision } = first;
  const isHalfAdded = state === undefined && revision === 0;
  const project = { id: projectId, ...(accountId !== undefined && { accountId }) };
  return catalog.perProject
    .map((resource) => newFeed(resource, isHalfAdded ? first.phase : phase, project))
    .filter(({ id }) => !registry.has(id))
    .map((feed) => ({
      ...feed,
      ...(isHalfAdded && silentUntil !== undefined && { silentUntil }),
    }));
}
