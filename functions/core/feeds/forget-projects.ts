import { entityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { Timestamp } from '../model/timestamp.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** Projects that are forgotten, by id. Their lists are not polled any more: some of their states may be removed. */
export type ForgottenProjects = ReadonlySet<string>;

/** The projects whose lists are to be removed, and whose own state is forgotten. */
export async function findForgotten(
  registry: FeedRegistry,
  store: Pick<StateStore, 'loadStates'>,
  { projects }: Catalog,
  before: Timestamp,
): Promise<ForgottenProjects> {
  const ids = new Set(
    registry.all().flatMap((feed) => (isParked(feed) ? [feed.projectId ?? ''] : [])),
  );
  const due = [...ids].filter((id) => areForgotten(feedsOf(id, registry), before));
  if (due.length === 0) return new Set();
  const keyOf = (id: string) => entityKey(projects.entity, id);
  const states = await store.loadStates(projects.path.slice(1), due.map(keyOf));
  return new Set(due.filter((id) => !states.has(keyOf(id))));
}

/** Whether a list is not polled any more: not one that its project got when it was restored after it was forgotten. */
export function waitsForRemoval(feed: Feed, forgotten: ForgottenProjects): boolean {
  return isParked(feed) && forgotten.has(feed.projectId ?? '');
}

/**
 * Removes the lists of a project, and all states of these lists, if they wait for a deletion so long ago that it is
 * forgotten. Not if one of them has changed since: the service may lose a project for a while, and have it back as it was.
 *
 * @param before projects that were deleted later are known.
 * @throws DeadlineReachedError when the run has to stop: the next one goes on.
 */
export async function removeForgotten(
  projectId: string,
  registry: FeedRegistry,
  before: Timestamp,
): Promise<void> {
  const feeds = feedsOf(projectId, registry);
  if (!areForgotten(feeds, before)) return;
  for (const { id } of feeds) await registry.remove(id);
}

/** Where one is not parked, a run has died that resumed them one by one. */
function areForgotten(feeds: readonly Feed[], before: Timestamp): boolean {
  const limit = Date.parse(before);
  return feeds.every((feed) => isParked(feed) && (feed.deletedSince ?? Infinity) <= limit);
}

function feedsOf(projectId: string, registry: FeedRegistry): readonly Feed[] {
  return registry.ofProject(projectId).map((id) => registry.get(id));
}

function isParked({ parked }: Feed): boolean {
  return parked === 'project-deleted';
}
