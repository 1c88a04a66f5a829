import type { EntityKey, EntityState } from '../../model/entity-state.ts';
import type { ProjectState } from '../../model/project-state.ts';
import type { AnswerAge } from '../missing/answer-age.ts';
import { isStale } from '../missing/is-stale.ts';
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
  if (state === undefined || !isStale(observed, state, answer)) return observed.deletedAt !== null;
  return state.deleted;
}
