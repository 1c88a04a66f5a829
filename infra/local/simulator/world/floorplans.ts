import type { Floorplan, Rotation, Sheet } from './entities.ts';
import { hasValues } from './entity-list.ts';
import { ProjectLists } from './projects.ts';

/** Fields of a floorplan that clients may set. */
type FloorplanFields = Pick<Floorplan, 'name' | 'description'>;

/**
 * The floorplans of each project and their changes. Each change returns the new floorplan. A change
 * of the current sheet changes the floorplan's version too.
 */
export class Floorplans extends ProjectLists<Floorplan> {
  create(
    projectId: string,
    fields: Pick<FloorplanFields, 'name'> & Partial<FloorplanFields>,
  ): Floorplan {
    return this.open(projectId).add((id, time) => ({
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
    return this.#change(projectId, id, fields, ({ version }) =>
      name === undefined ? {} : { name: sheetName(name, version) },
    );
  }

  /** Rotates the floorplan and its current sheet. */
  rotate(projectId: string, id: string, turn: Exclude<Rotation, 0> = 90): Floorplan {
    const { rotation: before } = this.open(projectId).alive(id);
    const rotation = ((before + turn) % 360) as Rotation;
    return this.#change(projectId, id, { rotation }, () => ({ rotation }));
  }

  /** Replaces the current sheet by a new drawing with rotation 0. */
  uploadSheet(projectId: string, id: string): Floorplan {
    const sheetId = this.changeLog.newId();
    return this.open(projectId).revise(id, ({ name, current_sheet: before }, time) => {
      const version = (before?.version ?? 0) + 1;
      const current_sheet: Sheet = {
        id: sheetId,
        floorplan_id: id,
        project_id: projectId,
        name: sheetName(name, version),
        file_name: `${name.replaceAll(/[^A-Za-z0-9]+/g, '-')}-v${version}.pdf`,
        version,
        rotation: 0,
        created_at: time,
        updated_at: time,
        deleted_at: null,
      };
      return { rotation: 0, current_sheet };
    });
  }

  /** Changes the current sheet alone. The spec has no operation for this. */
  updateSheet(projectId: string, id: string, change: (time: string) => Partial<Sheet>): Floorplan {
    return this.open(projectId).revise(id, ({ current_sheet: sheet }, time) => ({
      current_sheet: sheet && { ...sheet, ...change(time), updated_at: time },
    }));
  }

  #change(
    projectId: string,
    id: string,
    fields: Partial<Floorplan>,
    sheetFields: (sheet: Sheet) => Partial<Sheet>,
  ): Floorplan {
    return this.open(projectId).edit(id, fields, ({ current_sheet: sheet }, time) => {
      const changes = sheet && sheetFields(sheet);
      if (sheet === null || hasValues(sheet, changes ?? {})) return {};
      return { current_sheet: { ...sheet, ...changes, updated_at: time } };
    });
  }
}

function sheetName(floorplanName: string, version: number): string {
  return `${floorplanName} (v${version})`;
}
