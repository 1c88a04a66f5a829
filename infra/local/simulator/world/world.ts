import { ChangeLog, type ChangeLogOptions } from './change-log.ts';
import { Floorplans } from './floorplans.ts';
import { Projects } from './projects.ts';
import { Tasks } from './tasks.ts';
import { TemplateChecklists } from './template-checklists.ts';

/** Id of the user whose token the API accepts. */
export const API_USER_ID = 7001;

/**
 * Content of the service, in memory and initially empty. The same seed, clock and calls always make
 * the same world.
 */
export class World {
  readonly projects: Projects;
  readonly floorplans: Floorplans;
  readonly checklists: TemplateChecklists;
  readonly tasks: Tasks;
  readonly #changeLog: ChangeLog;

  constructor(options: ChangeLogOptions) {
    this.#changeLog = new ChangeLog(options);
    this.projects = new Projects(this.#changeLog);
    this.floorplans = new Floorplans(this.#changeLog, this.projects);
    this.checklists = new TemplateChecklists(this.#changeLog, this.projects);
    this.tasks = new Tasks(this.#changeLog, this.projects);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#changeLog.now();
  }

  /** Makes all changes of `work` at one time, in milliseconds since 1970. */
  at<T>(time: number, work: () => T): T {
    return this.#changeLog.at(time, work);
  }

  /** Makes all changes of `work` at the current time. */
  atOnce<T>(work: () => T): T {
    return this.#changeLog.at(this.now(), work);
  }
}
