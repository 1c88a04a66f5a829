import type { Detection } from '../changes/detect-changes.ts';
import type { ObservedEntity } from '../changes/observe.ts';
import { syncProjects } from '../feeds/sync-projects.ts';
import { idIn, type EntityKey, type EntityState } from '../model/entity-state.ts';
import type { ProjectState } from '../model/project-state.ts';
import type { CommitContext, CommitTarget } from './commit-context.ts';

/** Adds, parks and wakes the feeds of projects. */
export async function syncFeeds(
  projects: readonly ProjectState[],
  { feed, beganAt, onDue }: CommitTarget,
  { options, registry, summary, ports }: CommitContext,
): Promise<void> {
  const { catalog, partitions } = options;
  const context = { catalog, partitions, registry, store: ports.store };
  const { due, parkedCount } = await syncProjects(projects, { feed, beganAt }, context);
  onDue(due);
  summary.parked += parkedCount;
  ports.telemetry.count('FeedsParked', parkedCount);
}

/**
 * Each project of a page, changed or not, as the mirror will have it: an older version changes
 * nothing.
 */
export function projectStates(
  projects: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  { detected }: Detection,
): ProjectState[] {
  const found = new Map(detected.map((each) => [each.state.key, each]));
  return projects.map(({ key, object, deletedAt }) => {
    const saved = states.get(key);
    const { state = saved, change } = found.get(key) ?? {};
    return {
      entity: object,
      deleted: state?.deleted ?? deletedAt !== null,
      changed: change !== undefined,
      ...(saved && { saved }),
    };
  });
}

/** Projects that were proven to be gone. */
export function deletedProjects({ detected }: Detection): ProjectState[] {
  return detected.map(({ state }) => {
    const entity = { ...state.content?.(), id: idIn(state.key), updated_at: state.version };
    const saved = { version: state.version, deleted: false };
    return { entity, deleted: true, changed: true, saved };
  });
}
