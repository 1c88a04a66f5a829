import type { Collection } from './collection.ts';
import type { Floorplan, Rotation, Sheet } from './entities.ts';
import { findEntity, findAliveEntity, hasValues, type ChangeLog } from './change-log.ts';
import { ProjectLists } from './project-lists.ts';
import type { Projects } from './projects.ts';

/** Fields of a floorplan that clients may set. */
export type FloorplanFields = Pick<Floorplan, 'name' | 'description'>;

/** Clockwise rotation in degrees. */
export type RotationStep = Exclude<Rotation, 0>;

const KIND = 'floorplan';

/**
 * The floorplans of each project and their changes. Each change returns the new floorplan. A change
 * of the current sheet changes the floorplan's version too.
 */
export class Floorplans {
  readonly #changeLog: ChangeLog;
  readonly #lists: ProjectLists<Floorplan>;

  constructor(changeLog: ChangeLog, projects: Projects) {
    this.#changeLog = changeLog;
    this.#lists = new ProjectLists(changeLog, projects);
  }

  /** @throws WorldError when there is no such project. */
  list(projectId: string): Collection<Floorplan> {
    return this.#lists.of(projectId);
  }

  create(
    projectId: string,
    fields: Pick<FloorplanFields, 'name'> & Partial<FloorplanFields>,
  ): Floorplan {
    return this.#changeLog.add(this.#lists.listForChange(projectId), (id, time) => ({
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
  rotate(projectId: string, id: string, turn: RotationStep = 90): Floorplan {
    const floorplan = findAliveEntity(this.#lists.listForChange(projectId), KIND, id);
    const rotation = ((floorplan.rotation + turn) % 360) as Rotation;
    return this.#change(projectId, id, { rotation }, () => ({ rotation }));
  }

  /** Replaces the current sheet by a new drawing with rotation 0. */
  uploadSheet(projectId: string, id: string): Floorplan {
    const list = this.#lists.listForChange(projectId);
    const floorplan = findAliveEntity(list, KIND, id);
    const version = (floorplan.current_sheet?.version ?? 0) + 1;
    const sheetId = this.#changeLog.newId();
    return this.#changeLog.revise(list, floorplan, (time) => ({
      rotation: 0,
      current_sheet: {
        id: sheetId,
        floorplan_id: id,
        project_id: projectId,
        name: sheetName(floorplan.name, version),
        file_name: `${floorplan.name.replaceAll(/[^A-Za-z0-9]+/g, '-')}-v${version}.pdf`,
        version,
        rotation: 0,
        created_at: time,
        updated_at: time,
        deleted_at: null,
      },
    }));
  }

  remove(projectId: string, id: string): Floorplan {
    const list = this.#lists.listForChange(projectId);
    return this.#changeLog.remove(list, findEntity(list, KIND, id));
  }

  restore(projectId: string, id: string): Floorplan {
    const list = this.#lists.listForChange(projectId);
    return this.#changeLog.restore(list, findEntity(list, KIND, id));
  }

  #change(
    projectId: string,
    id: string,
    fields: Partial<Floorplan>,
    sheetFields: (sheet: Sheet) => Partial<Sheet>,
  ): Floorplan {
    const list = this.#lists.listForChange(projectId);
    const floorplan = findAliveEntity(list, KIND, id);
    return this.#changeLog.edit(list, floorplan, fields, (time) => {
      const sheet = floorplan.current_sheet;
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
