import { ChangeLog } from './change-log.ts';
import { Checklists } from './checklists.ts';
import { Floorplans } from './floorplans.ts';
import { Projects } from './projects.ts';

/**
 * Content of the service, in memory and initially empty. The same seed, clock and calls always make
 * the same world.
 */
export class World extends ChangeLog {
  readonly projects = new Projects(this);
  readonly floorplans = new Floorplans(this, this.projects);
  readonly checklists = new Checklists(this, this.projects);
}
