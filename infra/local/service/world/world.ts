import { Floorplans } from './floorplans.ts';
import { ChangeLog, type ChangeLogOptions } from './change-log.ts';
import { Projects } from './projects.ts';
import { TemplateChecklists } from './template-checklists.ts';

/** The user that the API's own token belongs to. */
export const API_USER_ID = 7001;

/**
 * Everything the service holds, in memory. It is empty at first, and the same seed, clock and calls
 * always make the same world.
 */
export class World {
  readonly projects: Projects;
  readonly floorplans: Floorplans;
  readonly checklists: TemplateChecklists;
  readonly #changeLog: ChangeLog;

  constructor(options: ChangeLogOptions) {
    this.#changeLog = new ChangeLog(options);
    this.projects = new Projects(this.#changeLog);
    this.floorplans = new Floorplans(this.#changeLog, this.projects);
    this.checklists = new TemplateChecklists(this.#changeLog, this.projects);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#changeLog.now();
  }

  /** Makes all changes of `work` at one time in the past, in milliseconds since 1970. */
  at<T>(time: number, work: () => T): T {
    return this.#changeLog.at(time, work);
  }

  /** Makes all changes of `work` at the same time, which is now. */
  atOnce<T>(work: () => T): T {
    return this.#changeLog.at(this.now(), work);
  }
}
