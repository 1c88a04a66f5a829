import { Collection, type Row } from './collection.ts';
import { WorldError } from './errors.ts';
import type { ChangeLog } from './change-log.ts';
import type { Projects } from './projects.ts';

/** One list below each project: its floorplans, or its checklists. */
export class ProjectLists<T extends Row> {
  readonly #changeLog: ChangeLog;
  readonly #projects: Projects;
  readonly #lists = new Map<string, Collection<T>>();

  constructor(changeLog: ChangeLog, projects: Projects) {
    this.#changeLog = changeLog;
    this.#projects = projects;
  }

  /**
   * Returns the list of a project, deleted or not.
   *
   * @throws WorldError when there is no such project.
   */
  of(projectId: string): Collection<T> {
    const list = this.#lists.get(projectId);
    if (list !== undefined) return list;
    if (this.#projects.list.newest(projectId) === undefined) {
      throw new WorldError('not_found', `there is no project with id ${projectId}`);
    }
    const empty = new Collection<T>(this.#changeLog.now);
    this.#lists.set(projectId, empty);
    return empty;
  }

  /**
   * Returns the list of a project for a change.
   *
   * @throws WorldError when there is no such project, or it is deleted.
   */
  listForChange(projectId: string): Collection<T> {
    return this.of(this.#projects.alive(projectId).id);
  }
}
