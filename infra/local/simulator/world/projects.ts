import { ServiceError } from '../service-error.ts';
import type { ChangeLog } from './change-log.ts';
import { Collection, type Row } from './collection.ts';
import type { Project } from './entities.ts';

/** Fields of a project that may be set. */
type ProjectFields = Pick<Project, 'name' | 'code' | 'color' | 'plan_name'>;

/** The one account whose projects the service holds. */
const ACCOUNT_ID = 4711;
/** The plan of projects that the activity may delete. */
export const SHORT_PLAN = 'Trial';

/** The projects and their changes. Each change returns the new project. */
export class Projects {
  readonly list: Collection<Project>;
  readonly #changeLog: ChangeLog;

  constructor(changeLog: ChangeLog) {
    this.#changeLog = changeLog;
    this.list = new Collection<Project>(changeLog.now);
  }

  create(fields: Partial<ProjectFields> & Pick<ProjectFields, 'name'>): Project {
    return this.#changeLog.add(this.list, (id, time) => ({
      id,
      name: fields.name,
      account_id: ACCOUNT_ID,
      code: fields.code ?? null,
      color: fields.color ?? '#1F6FEB',
      plan_name: fields.plan_name ?? 'Business',
      created_at: time,
      updated_at: time,
      deleted_at: null,
    }));
  }

  update(id: string, fields: Partial<ProjectFields>): Project {
    return this.#changeLog.edit(this.list, findAlive(this.list, 'project', id), fields);
  }

  /** Does not change its floorplans and checklists. */
  remove(id: string): Project {
    return this.#changeLog.setDeleted(this.list, findNewest(this.list, 'project', id), true);
  }

  restore(id: string): Project {
    return this.#changeLog.setDeleted(this.list, findNewest(this.list, 'project', id), false);
  }

  /** Removes it, and all its content, without a trace. */
  destroy(id: string): void {
    this.list.destroy(id);
  }
}

/** One list below each project: its floorplans, or its checklists. */
export abstract class ProjectLists<T extends Row> {
  protected readonly changeLog: ChangeLog;
  readonly #projects: Projects;
  readonly #kind: string;
  readonly #lists = new Map<string, Collection<T>>();

  /** @param kind names an entity of the lists in errors. */
  constructor(changeLog: ChangeLog, projects: Projects, kind: string) {
    this.changeLog = changeLog;
    this.#projects = projects;
    this.#kind = kind;
  }

  /**
   * Returns the list of a project, deleted or not.
   *
   * @throws ServiceError when there is no such project.
   */
  list(projectId: string): Collection<T> {
    const { id } = findNewest(this.#projects.list, 'project', projectId);
    const list = this.#lists.get(id) ?? new Collection<T>(this.changeLog.now);
    this.#lists.set(id, list);
    return list;
  }

  abstract update(projectId: string, id: string, fields: { readonly name?: string }): T;

  remove(projectId: string, id: string): T {
    const list = this.listForChange(projectId);
    return this.changeLog.setDeleted(list, findNewest(list, this.#kind, id), true);
  }

  restore(projectId: string, id: string): T {
    const list = this.listForChange(projectId);
    return this.changeLog.setDeleted(list, findNewest(list, this.#kind, id), false);
  }

  /** Removes an entity without a trace. */
  destroy(projectId: string, id: string): void {
    this.list(projectId).destroy(id);
  }

  /** @throws ServiceError when there is no such project, or it is deleted. */
  protected listForChange(projectId: string): Collection<T> {
    return this.list(findAlive(this.#projects.list, 'project', projectId).id);
  }

  /** @throws ServiceError also when there is no such entity, or it is deleted. */
  protected alive(projectId: string, id: string): { list: Collection<T>; row: T } {
    const list = this.listForChange(projectId);
    return { list, row: findAlive(list, this.#kind, id) };
  }
}

/** Whether the activity may delete a project. */
export function isShort(project: Project | undefined): boolean {
  return project?.plan_name === SHORT_PLAN;
}

/** The newest version of an entity. @throws ServiceError when there is none. */
function findNewest<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = list.newest(id);
  if (row) return row;
  throw new ServiceError(404, 'not_found', `there is no ${kind} with id ${id}`);
}

function findAlive<T extends Row>(list: Collection<T>, kind: string, id: string): T {
  const row = findNewest(list, kind, id);
  if (row.deleted_at === null) return row;
  throw new ServiceError(409, 'deleted', `the ${kind} with id ${id} is deleted`);
}
