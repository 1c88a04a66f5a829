import type { Detection } from '../changes/detect-changes.ts';
import type { Unseen, Observed } from '../changes/observe.ts';
import type { EntityKey, EntityState, ProjectState } from '../model/entity-state.ts';
import { compareTimestamps } from '../model/timestamp.ts';

/**
 * Each project of a page, changed or not, as the mirror will have it: an older version changes
 * nothing.
 */
export function projectStates(
  projects: readonly (Observed | Unseen)[],
  states: ReadonlyMap<EntityKey, EntityState>,
  { detected }: Detection,
): ProjectState[] {
  const found = new Map(detected.map((each) => [each.state.key, each]));
  return projects.map((project) => {
    const saved = states.get(project.key);
    const { state = saved } = found.get(project.key) ?? {};
    const isCurrent = 'object' in project && !isOutdated(project, saved);
    return {
      entity: isCurrent ? project.object : { id: project.id },
      deleted: state?.deleted ?? (isCurrent && project.deletedAt !== null),
      wasDeleted: saved?.deleted,
    };
  });
}

function isOutdated({ version }: Observed, saved: EntityState | undefined): boolean {
  return saved !== undefined && compareTimestamps(version, saved.version) < 0;
}
