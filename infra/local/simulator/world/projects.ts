import { findAliveEntity, findEntity, type ChangeLog } from './change-log.ts';
import { Collection } from './collection.ts';
import type { Project } from './entities.ts';

/** Fields of a project that clients may set. */
export type ProjectFields = Pick<Project, 'name' | 'code' | 'color'>;

/** The one account whose projects the service holds. */
const ACCOUNT_ID = 4711;
const PLAN_NAME = 'Business';
/** The plan of projects that the activity may delete. */
export const SHORT_PLAN = 'Trial';
const DEFAULT_COLOR = '#1F6FEB';

/** The projects and their changes. Each change returns the new project. */
export class Projects {
  readonly list: Collection<Project>;
  readonly #changeLog: ChangeLog;

  constructor(changeLog: ChangeLog) {
    this.#changeLog = changeLog;
    this.list = new Collection<Project>(changeLog.now);
  }

  /** @throws WorldError when there is no such project, or it is deleted. */
  alive(id: string): Project {
    return findAliveEntity(this.list, 'project', id);
  }

  create(
    fields: Pick<ProjectFields, 'name'> & Partial<ProjectFields & Pick<Project, 'plan_name'>>,
  ): Project {
    return this.#changeLog.add(this.list, (id, time) => ({
      id,
      name: fields.name,
      account_id: ACCOUNT_ID,
      code: fields.code ?? null,
      color: fields.color ?? DEFAULT_COLOR,
      plan_name: fields.plan_name ?? PLAN_NAME,
      created_at: time,
      updated_at: time,
      deleted_at: null,
    }));
  }

  update(id: string, fields: Partial<ProjectFields>): Project {
    return this.#changeLog.edit(this.list, this.alive(id), fields);
  }

  /** Does not change its floorplans and checklists. */
  remove(id: string): Project {
    return this.#changeLog.remove(this.list, findEntity(this.list, 'project', id));
  }

  /** Removes it, and all its content, without a trace. @throws WorldError when there is none. */
  destroy(id: string): void {
    this.list.destroy(findEntity(this.list, 'project', id).id);
  }

  restore(id: string): Project {
    return this.#changeLog.restore(this.list, findEntity(this.list, 'project', id));
  }
}

/** Whether the activity may delete a project. */
export function isShort(project: Project | undefined): boolean {
  return project?.plan_name === SHORT_PLAN;
}
