import type { EntityKey, EntityState } from '../../model/entity-state.ts';
import type { ProjectState } from '../../model/project-state.ts';
import { compareTimestamps } from '../../model/timestamp.ts';
import type { AnswerAge } from '../list-changes.ts';
import { isBackTooEarly } from '../missing/is-back-too-early.ts';
import type { ObservedEntity } from '../observed-entity.ts';
import type { ToldChange } from '../tell.ts';

/** The state of each project of a page of the projects' list. */
export function projectStates(
  projects: readonly ObservedEntity[],
  states: ReadonlyMap<EntityKey, EntityState>,
  changes: readonly ToldChange[],
  answer: AnswerAge,
): ProjectState[] {
  const changed = new Set(changes.map(({ id }) => id));
  return projects.map((project) => {
    const saved = states.get(project.key);
    return {
      entity: project.object,
      deleted: isDeleted(project, saved, answer),
      changed: changed.has(project.id),
      ...(saved && { saved }),
    };
  });
}

function isDeleted(
  observed: ObservedEntity,
  state: EntityState | undefined,
  answer: AnswerAge,
): boolean {
  const isStale = state?.missing
    ? isBackTooEarly(observed, state, answer)
    : state !== undefined && compareTimestamps(observed.version, state.version) < 0;
  return isStale && state ? state.deleted : observed.deletedAt !== null;
}
