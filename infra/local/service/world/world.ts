import { Floorplans } from './floorplans.ts';
import { Ledger, type LedgerOptions } from './change-log.ts';
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
  readonly #ledger: Ledger;

  constructor(options: LedgerOptions) {
    this.#ledger = new Ledger(options);
    this.projects = new Projects(this.#ledger);
    this.floorplans = new Floorplans(this.#ledger, this.projects);
    this.checklists = new TemplateChecklists(this.#ledger, this.projects);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.#ledger.now();
  }

  /** Makes all changes of `work` at one time in the past, in milliseconds since 1970. */
  at<T>(time: number, work: () => T): T {
    return this.#ledger.at(time, work);
  }

  /** Makes all changes of `work` at the same time, which is now. */
  atOnce<T>(work: () => T): T {
    return this.#ledger.at(this.now(), work);
  }
}
