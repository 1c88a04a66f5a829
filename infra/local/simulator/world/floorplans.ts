import { hasValues, type ChangeLog } from './change-log.ts';
import type { Floorplan, Rotation, Sheet } from './entities.ts';
import { ProjectLists, type Projects } from './projects.ts';

/** Fields of a floorplan that clients may set. */
type FloorplanFields = Pick<Floorplan, 'name' | 'description'>;

/**
 * The floorplans of each project and their changes. Each change returns the new floorplan. A change
 * of the current sheet changes the floorplan's version too.
 */
export class Floorplans extends ProjectLists<Floorplan> {
  constructor(changeLog: ChangeLog, projects: Projects) {
    super(changeLog, projects, 'floorplan');
  }

  create(
    projectId: string,
    fields: Pick<FloorplanFields, 'name'> & Partial<FloorplanFields>,
  ): Floorplan {
    return this.changeLog.add(this.listForChange(projectId), (id, time) => ({
      id,
      project_id: projectId,
      name: fields.name,
      description: fields.description ?? null,
      rotation: 0,
      current_sheet: null,
      created_at: time,
      updated_at: time,
      deleted_at: null,
    }));
  }

  /** Renames the current sheet too. */
  update(projectId: string, id: string, fields: Partial<FloorplanFields>): Floorplan {
    const { name } = fields;
    return this.#change(projectId, id, fields, (sheet) =>
      name === undefined ? {} : { name: sheetName(name, sheet.version) },
    );
  }

  /** Rotates the floorplan and its current sheet. */
  rotate(projectId: string, id: string, turn: Exclude<Rotation, 0> = 90): Floorplan {
    const { row } = this.alive(projectId, id);
    const rotation = ((row.rotation + turn) % 360) as Rotation;
    return this.#change(projectId, id, { rotation }, () => ({ rotation }));
  }

  /** Replaces the current sheet by a new drawing with rotation 0. */
  uploadSheet(projectId: string, id: string): Floorplan {
    const { list, row } = this.alive(projectId, id);
    const version = (row.current_sheet?.version ?? 0) + 1;
    const sheetId = this.changeLog.newId();
    return this.changeLog.revise(list, row, (time) => ({
      rotation: 0,
      current_sheet: {
        id: sheetId,
        floorplan_id: id,
        project_id: projectId,
        name: sheetName(row.name, version),
        file_name: `${row.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}-v${version}.pdf`,
        version,
        rotation: 0,
        created_at: time,
        updated_at: time,
        deleted_at: null,
      },
    }));
  }

  /** Changes the current sheet alone. The spec has no operation for this. */
  updateSheet(projectId: string, id: string, change: (time: string) => Partial<Sheet>): Floorplan {
    const { list, row } = this.alive(projectId, id);
    const { current_sheet: sheet } = row;
    if (sheet === null) return row;
    return this.changeLog.revise(list, row, (time) => ({
      current_sheet: { ...sheet, ...change(time), updated_at: time },
    }));
  }

  #change(
    projectId: string,
    id: string,
    fields: Partial<Floorplan>,
    sheetFields: (sheet: Sheet) => Partial<Sheet>,
  ): Floorplan {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.edit(list, row, fields, (time) => {
      const sheet = row.current_sheet;
      if (sheet === null) return {};
      const changes = sheetFields(sheet);
      if (hasValues(sheet, changes)) return {};
      return { current_sheet: { ...sheet, ...changes, updated_at: time } };
    });
  }
}

function sheetName(floorplanName: string, version: number): string {
  return `${floorplanName} (v${version})`;
}
