import type { ChangeLog } from './change-log.ts';
import type { Project } from './entities.ts';
import { EntityList, type Row } from './entity-list.ts';

/** The one account whose projects the service holds. */
const ACCOUNT_ID = 4711;
/** The plan of projects that the activity may delete. */
export const SHORT_PLAN = 'Trial';

/** The projects and their changes. A deleted one keeps its floorplans and checklists. */
export class Projects extends EntityList<Project> {
  create(fields: Partial<Project> & Pick<Project, 'name'>): Project {
    const defaults = { code: null, color: '#1F6FEB', plan_name: 'Business' };
    return this.add((id, time) => ({
      ...{ id, account_id: ACCOUNT_ID, ...defaults, ...fields },
      ...{ created_at: time, updated_at: time, deleted_at: null },
    }));
  }
}

/** One list below each project: its floorplans, or its checklists. */
export class ProjectLists<T extends Row> {
  protected readonly changeLog: ChangeLog;
  readonly #projects: Projects;
  readonly #lists = new Map<string, EntityList<T>>();

  constructor(changeLog: ChangeLog, projects: Projects) {
    this.changeLog = changeLog;
    this.#projects = projects;
  }

  /** The list of a project, deleted or not. @throws ServiceError when there is no such project. */
  list(projectId: string): EntityList<T> {
    const { id } = this.#projects.get(projectId);
    const list = this.#lists.get(id) ?? new EntityList<T>(this.changeLog);
    this.#lists.set(id, list);
    return list;
  }
}
