import type { ChangeLog } from './change-log.ts';
import type { Project } from './entities.ts';
import { EntityList, type Row } from './entity-list.ts';

/** Fields of a project that may be set. */
type ProjectFields = Pick<Project, 'name' | 'code' | 'color' | 'plan_name'>;

/** The one account whose projects the service holds. */
const ACCOUNT_ID = 4711;
/** The plan of projects that the activity may delete. */
export const SHORT_PLAN = 'Trial';

/** The projects and their changes. Each change returns the new project. */
export class Projects {
  readonly list: EntityList<Project>;

  constructor(changeLog: ChangeLog) {
    this.list = new EntityList(changeLog, 'project');
  }

  create(fields: Partial<ProjectFields> & Pick<ProjectFields, 'name'>): Project {
    return this.list.add((id, time) => ({
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
    return this.list.edit(id, fields);
  }

  /** Does not change its floorplans and checklists. */
  remove(id: string): Project {
    return this.list.setDeleted(id, true);
  }

  restore(id: string): Project {
    return this.list.setDeleted(id, false);
  }
}

/** One list below each project: its floorplans, or its checklists. */
export abstract class ProjectLists<T extends Row> {
  protected readonly changeLog: ChangeLog;
  readonly #projects: Projects;
  readonly #kind: string;
  readonly #lists = new Map<string, EntityList<T>>();

  /** @param kind names an entity of the lists in errors. */
  constructor(changeLog: ChangeLog, projects: Projects, kind: string) {
    this.changeLog = changeLog;
    this.#projects = projects;
    this.#kind = kind;
  }

  /** The list of a project, deleted or not. @throws ServiceError when there is no such project. */
  list(projectId: string): EntityList<T> {
    const { id } = this.#projects.list.get(projectId);
    const list = this.#lists.get(id) ?? new EntityList<T>(this.changeLog, this.#kind);
    this.#lists.set(id, list);
    return list;
  }

  abstract update(projectId: string, id: string, fields: { readonly name?: string }): T;

  remove(projectId: string, id: string): T {
    return this.open(projectId).setDeleted(id, true);
  }

  restore(projectId: string, id: string): T {
    return this.open(projectId).setDeleted(id, false);
  }

  /** Removes an entity without a trace. */
  destroy(projectId: string, id: string): void {
    this.list(projectId).destroy(id);
  }

  /** The list, for changes. @throws ServiceError when there is no such project, or it is deleted. */
  protected open(projectId: string): EntityList<T> {
    return this.list(this.#projects.list.alive(projectId).id);
  }
}

/** Whether the activity may delete a project. */
export function isShort(project: Project | undefined): boolean {
  return project?.plan_name === SHORT_PLAN;
}
