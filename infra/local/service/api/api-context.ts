import type { ServiceBehaviour } from '../behaviour.ts';
import type { Collection, Row } from '../world/collection.ts';
import type { World } from '../world/world.ts';
import { ApiError } from './api-error.ts';

/** What the API's routes work on. */
export interface ApiContext {
  readonly world: World;
  readonly behaviour: ServiceBehaviour;
}

/**
 * An entity as readers see it, deleted or not.
 *
 * @throws ApiError 404 when readers see none.
 */
export function findVisible<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = list.get(id);
  if (row === undefined) {
    throw new ApiError(404, 'not_found', `there is no ${kind} with id ${id}`);
  }
  return row;
}

/**
 * Checks that the lists below a project may be read: the project exists, and is not deleted if the
 * switch `deletedProjectLists` says that this matters.
 *
 * @throws ApiError 404 when they may not.
 */
export function assertReadable({ world, behaviour }: ApiContext, projectId: string): void {
  const project = findVisible(world.projects.list, 'project', projectId);
  if (project.deleted_at !== null && behaviour.deletedProjectLists === 'not_found') {
    throw new ApiError(404, 'not_found', `the project with id ${projectId} is deleted`);
  }
}
