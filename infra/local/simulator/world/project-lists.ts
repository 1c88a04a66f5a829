import { findAliveEntity, findEntity, type ChangeLog } from './change-log.ts';
import { Collection, type Row } from './collection.ts';
import type { Projects } from './projects.ts';

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
   * @throws WorldError when there is no such project.
   */
  list(projectId: string): Collection<T> {
    const list = this.#lists.get(projectId);
    if (list !== undefined) return list;
    findEntity(this.#projects.list, 'project', projectId);
    const empty = new Collection<T>(this.changeLog.now);
    this.#lists.set(projectId, empty);
    return empty;
  }

  remove(projectId: string, id: string): T {
    const list = this.listForChange(projectId);
    return this.changeLog.remove(list, findEntity(list, this.#kind, id));
  }

  restore(projectId: string, id: string): T {
    const list = this.listForChange(projectId);
    return this.changeLog.restore(list, findEntity(list, this.#kind, id));
  }

  /**
   * Removes an entity without a trace.
   *
   * @throws WorldError when there is none.
   */
  destroy(projectId: string, id: string): void {
    const list = this.list(projectId);
    list.destroy(findEntity(list, this.#kind, id).id);
  }

  /** @throws WorldError when there is no such project, or it is deleted. */
  protected listForChange(projectId: string): Collection<T> {
    return this.list(this.#projects.alive(projectId).id);
  }

  /** @throws WorldError also when there is no such entity, or it is deleted. */
  protected alive(projectId: string, id: string): { list: Collection<T>; row: T } {
    const list = this.listForChange(projectId);
    return { list, row: findAliveEntity(list, this.#kind, id) };
  }
}
