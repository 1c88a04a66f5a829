import type { Detection } from '../changes/detect-changes.ts';
import type { Missing, Observed } from '../changes/observe.ts';
import { syncProjects } from '../feeds/sync-projects.ts';
import type { EntityKey, EntityState, ProjectState } from '../model/entity-state.ts';
import type { CommitTarget } from './commit-context.ts';

/** Adds, parks and wakes the feeds of projects. @returns the ids of those to be polled now. */
export function syncFeeds(
  projects: readonly ProjectState[],
  { feed, beganAt, run }: CommitTarget,
): Promise<readonly string[]> {
  const { options, registry, ports } = run;
  const context = { catalog: options.catalog, registry, store: ports.store };
  return syncProjects(projects, { feed, beganAt }, context);
}

/**
 * Each project of a page, changed or not, as the mirror will have it: an older version changes
 * nothing.
 */
export function projectStates(
  projects: readonly (Observed | Missing)[],
  states: ReadonlyMap<EntityKey, EntityState>,
  { detected }: Detection,
): ProjectState[] {
  const found = new Map(detected.map((each) => [each.state.key, each]));
  return projects.map((project) => {
    const saved = states.get(project.key);
    const { state = saved } = found.get(project.key) ?? {};
    const shown = 'object' in project ? project : undefined;
    return {
      entity: shown?.object ?? { id: project.id },
      deleted: state?.deleted ?? (shown !== undefined && shown.deletedAt !== null),
      ...(saved && { saved }),
    };
  });
}
