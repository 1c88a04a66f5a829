import type { LocalStage } from './read-stage.ts';

/** The additional list of the simulated service. */
export const TASKS = { name: 'tasks', entity: 'task', path: '/projects/{project_id}/tasks' };

/** The additional lists of a stage, unchecked. */
export function additionalLists(stage: LocalStage | undefined): readonly unknown[] {
  const lists = stage?.['additionalResources'];
  return Array.isArray(lists) ? lists : [];
}

/** Whether a list of a stage is the one that the simulated service can have. */
export function isTasks(list: unknown): boolean {
  return (list as { readonly path?: unknown } | null)?.path === TASKS.path;
}
