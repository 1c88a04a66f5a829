import type { ChangeLog } from './change-log.ts';
import type { Task } from './entities.ts';
import { ProjectLists } from './project-lists.ts';
import type { Projects } from './projects.ts';

/** The tasks of each project: a list that is not part of the spec, but has the same shape. */
export class Tasks extends ProjectLists<Task> {
  constructor(changeLog: ChangeLog, projects: Projects) {
    super(changeLog, projects, 'task');
  }

  create(projectId: string, fields: Pick<Task, 'name'>): Task {
    return this.changeLog.add(this.listForChange(projectId), (id, time) => ({
      id,
      project_id: projectId,
      name: fields.name,
      status: 'open',
      created_at: time,
      updated_at: time,
      deleted_at: null,
    }));
  }

  finish(projectId: string, id: string): Task {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.edit(list, row, { status: 'done' });
  }
}
