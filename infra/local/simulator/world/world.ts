import { ChangeLog, type ChangeLogOptions } from './change-log.ts';
import { Checklists } from './checklists.ts';
import type { Task } from './entities.ts';
import { Floorplans } from './floorplans.ts';
import { ProjectLists, Projects } from './projects.ts';

/**
 * Content of the service, in memory and initially empty. The same seed, clock and calls always make
 * the same world.
 */
export class World {
  readonly projects: Projects;
  readonly floorplans: Floorplans;
  readonly checklists: Checklists;
  readonly tasks: Tasks;
  readonly #changeLog: ChangeLog;

  constructor(options: ChangeLogOptions) {
    this.#changeLog = new ChangeLog(options);
    this.projects = new Projects(this.#changeLog);
    this.floorplans = new Floorplans(this.#changeLog, this.projects);
    this.checklists = new Checklists(this.#changeLog, this.projects);
    this.tasks = new Tasks(this.#changeLog, this.projects, 'task');
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#changeLog.now();
  }

  /** Makes all changes of `work` at one time: now, or another in milliseconds since 1970. */
  atOnce<T>(work: () => T, time = this.now()): T {
    return this.#changeLog.at(time, work);
  }
}

/** The tasks of each project: a list that is not part of the spec, but has the same shape. */
class Tasks extends ProjectLists<Task> {
  create(projectId: string, { name }: Pick<Task, 'name'>): Task {
    return this.open(projectId).add((id, time) => ({
      id,
      project_id: projectId,
      name,
      created_at: time,
      updated_at: time,
      deleted_at: null,
    }));
  }

  update(projectId: string, id: string, fields: Partial<Pick<Task, 'name'>>): Task {
    return this.open(projectId).edit(id, fields);
  }
}
