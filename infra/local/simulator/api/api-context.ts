import type { ServiceBehaviour } from '../behaviour.ts';
import type { Collection, Row } from '../world/collection.ts';
import type { World } from '../world/world.ts';
import { ApiError } from './api-error.ts';

/** Parts of the service that the API's routes use. */
export interface ApiContext {
  readonly world: World;
  readonly behaviour: ServiceBehaviour;
}

/**
 * Returns an entity as readers see it, deleted or not.
 *
 * @throws ApiError 404 if readers see none.
 */
export function findVisible<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = list.get(id);
  if (row === undefined) {
    throw new ApiError(404, 'not_found', `there is no ${kind} with id ${id}`);
  }
  return row;
}

/**
 * Checks that the lists below a project may be read: the project exists and, depending on
 * `deletedProjectLists`, is not deleted.
 *
 * @throws ApiError 404 if they may not.
 */
export function assertReadable({ world, behaviour }: ApiContext, projectId: string): void {
  const project = findVisible(world.projects.list, 'project', projectId);
  if (project.deleted_at !== null && behaviour.deletedProjectLists === 'not_found') {
    throw new ApiError(404, 'not_found', `the project with id ${projectId} is deleted`);
  }
}
