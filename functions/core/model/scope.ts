import type { Feed } from './feed.ts';

/** The lists that a command concerns: one, those of a project, those of a resource, or all. */
export interface Scope {
  /** Id of a list: `projects`, `projects/<project_id>/floorplans`. */
  readonly list?: string;
  readonly projectId?: string;
  /** Name of a resource: `floorplans`. */
  readonly resource?: string;
}

/**
 * Whether a list is in the scope.
 *
 * @param resource the name of its resource, selected or not; undefined if it is not configured.
 */
export function isInScope(
  { id, projectId }: Pick<Feed, 'id' | 'projectId'>,
  resource: string | undefined,
  scope: Scope,
): boolean {
  if (scope.list !== undefined && scope.list !== id) return false;
  if (scope.projectId !== undefined && scope.projectId !== projectId) return false;
  return scope.resource === undefined || scope.resource === resource;
}
