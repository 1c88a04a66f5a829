import { ChangeLog } from './change-log.ts';
import { Checklists } from './checklists.ts';
import type { Task } from './entities.ts';
import { Floorplans } from './floorplans.ts';
import { ProjectLists, Projects } from './projects.ts';

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

/**
 * Content of the service, in memory and initially empty. The same seed, clock and calls always make
 * the same world.
 */
export class World extends ChangeLog {
  readonly projects = new Projects(this);
  readonly floorplans = new Floorplans(this, this.projects, 'floorplan');
  readonly checklists = new Checklists(this, this.projects, 'template checklist');
  readonly tasks = new Tasks(this, this.projects, 'task');
}
