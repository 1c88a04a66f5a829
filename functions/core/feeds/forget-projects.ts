import { entityKey } from '../model/entity-state.ts';
import type { Feed } from '../model/feed.ts';
import type { Catalog } from '../model/resource-catalog.ts';
import type { StateStore } from '../ports/state-store.ts';
import type { FeedRegistry } from './feed-registry.ts';

/** Projects that are forgotten, by id. Their lists are not polled any more: some of their states may be removed. */
export type ForgottenProjects = ReadonlySet<string>;

/**
 * The projects whose lists wait for a deletion so long ago that the project's own state is forgotten. Not those of which
 * a list has changed since: the service may have lost a project for a while, and have it back as it was.
 *
 * @param before milliseconds since 1970: projects that were deleted later are known.
 */
export async function findForgotten(
  registry: FeedRegistry,
  store: Pick<StateStore, 'loadStates'>,
  { projects }: Catalog,
  before: number,
): Promise<ForgottenProjects> {
  const parked = registry.all().filter((feed) => feed.parked === 'project-deleted');
  const isLater = ({ deletedSince = Infinity }: Feed): boolean => deletedSince > before;
  const kept = new Set(parked.filter(isLater).map(({ projectId }) => projectId));
  const due = parked.filter(({ projectId }) => !kept.has(projectId));
  const keys = new Map(due.map(({ projectId: id = '' }) => [id, entityKey(projects.entity, id)]));
  if (keys.size === 0) return new Set();
  const states = await store.loadStates(projects.path.slice(1), [...keys.values()]);
  return new Set([...keys].flatMap(([id, key]) => (states.has(key) ? [] : [id])));
}

/**
 * Removes the lists of forgotten projects, and all states of these lists, but for those that were restored since they
 * were found. If such a project is restored before that, syncProjects removes them.
 *
 * @throws DeadlineReachedError when the run has to stop: the next one goes on.
 */
export async function forgetProjects(
  forgotten: ForgottenProjects,
  registry: FeedRegistry,
): Promise<void> {
  for (const projectId of forgotten) await removeParked(projectId, registry);
}

/** Whether a list is to be removed: not one that its project got when it was restored after it was forgotten. */
export function waitsForRemoval(
  { projectId = '', parked }: Feed,
  forgotten: ForgottenProjects,
): boolean {
  return parked === 'project-deleted' && forgotten.has(projectId);
}

/**
 * Removes the lists of a project that are parked for its deletion.
 *
 * @param before milliseconds since 1970: lists that were parked later are kept.
 */
export async function removeParked(
  projectId: string,
  registry: FeedRegistry,
  before = Infinity,
): Promise<void> {
  for (const id of registry.ofProject(projectId)) {
    const { parked, deletedSince = 0 } = registry.get(id);
    if (parked === 'project-deleted' && deletedSince < before) await registry.remove(id);
  }
}
