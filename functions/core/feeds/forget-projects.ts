import { entityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/**
 * Whether a feed is of a project that was deleted so long ago that it is forgotten. It is not polled any more: some
 * of its states may be removed.
 *
 * @param before milliseconds since 1970.
 */
export function isForgotten({ parked, deletedSince = Infinity }: Feed, before: number): boolean {
  return parked === 'project-deleted' && deletedSince <= before;
}

/**
 * Removes the feeds of projects that were deleted so long ago that their own state is forgotten, and all
 * states of these feeds. If such a project is restored before that, syncProjects removes them.
 *
 * @param before milliseconds since 1970: projects that were deleted later are left as they are.
 * @returns the number of projects.
 * @throws DeadlineReachedError when the run has to stop: the next one goes on.
 */
export async function forgetProjects(
  registry: FeedRegistry,
  store: Pick<StateStore, 'loadStates'>,
  { projects }: Catalog,
  before: number,
): Promise<number> {
  const due = registry
    .all()
    .flatMap((feed) => (isForgotten(feed, before) ? [feed.projectId ?? ''] : []));
  if (due.length === 0) return 0;
  const keys = new Map(due.map((id) => [id, entityKey(projects.entity, id)]));
  const states = await store.loadStates(projects.path.slice(1), [...keys.values()]);
  const forgotten = [...keys].flatMap(([id, key]) => (states.has(key) ? [] : [id]));
  for (const id of forgotten) {
    for (const feedId of registry.ofProject(id)) await registry.remove(feedId);
  }
  return forgotten.length;
}
