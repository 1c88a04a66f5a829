import type { Floorplan, Rotation, Sheet } from './entities.ts';
import { ProjectLists } from './projects.ts';

/**
 * The floorplans of each project and their changes. Each change returns the new floorplan. A change
 * of the current sheet changes the floorplan's version too.
 */
export class Floorplans extends ProjectLists<Floorplan> {
  create(projectId: string, fields: Partial<Floorplan> & Pick<Floorplan, 'name'>): Floorplan {
    return this.list(projectId).add((id, time) => ({
      ...{
        id,
        project_id: projectId,
        description: null,
        rotation: 0,
        current_sheet: null,
        ...fields,
      },
      ...{ created_at: time, updated_at: time, deleted_at: null },
    }));
  }

  rotate(projectId: string, id: string, turn: Exclude<Rotation, 0> = 90): Floorplan {
    return this.list(projectId).revise(id, ({ rotation: before, current_sheet: sheet }, time) => {
      const rotation = ((before + turn) % 360) as Rotation;
      return { rotation, current_sheet: sheet && { ...sheet, rotation, updated_at: time } };
    });
  }

  /** Replaces the current sheet by a new drawing with rotation 0. */
  uploadSheet(projectId: string, floorplanId: string): Floorplan {
    const id = this.changeLog.newId();
    return this.list(projectId).revise(floorplanId, ({ name, current_sheet: before }, time) => {
      const version = (before?.version ?? 0) + 1;
      const current_sheet: Sheet = {
        ...{ id, floorplan_id: floorplanId, project_id: projectId, version, rotation: 0 },
        ...{ name: `${name} (v${version})`, file_name: `${floorplanId}-v${version}.pdf` },
        ...{ created_at: time, updated_at: time, deleted_at: null },
      };
      return { rotation: 0, current_sheet };
    });
  }

  /** Changes the current sheet alone. The spec has no operation for this. */
  updateSheet(projectId: string, id: string, change: (time: string) => Partial<Sheet>): Floorplan {
    return this.list(projectId).revise(id, ({ current_sheet: sheet }, time) => ({
      current_sheet: sheet && { ...sheet, ...change(time), updated_at: time },
    }));
  }
}
