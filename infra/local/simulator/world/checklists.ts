import { ServiceError } from '../service-error.ts';
import type { ChangeLog } from './change-log.ts';
import type { TemplateCheckItem, TemplateChecklist } from './entities.ts';
import { ProjectLists, type Projects } from './projects.ts';

/** Id of the user whose token the API accepts. */
export const API_USER_ID = 7001;

/** Field of a checklist or an item that clients may set. */
interface NameField {
  readonly name: string;
}

/** Address of a template check item. */
interface ItemAddress {
  readonly projectId: string;
  readonly checklistId: string;
  readonly itemId: string;
}

/**
 * The template checklists of each project, their items and their changes. Each change returns the
 * new checklist. A change of an item changes the checklist's version too.
 */
export class Checklists extends ProjectLists<TemplateChecklist> {
  constructor(changeLog: ChangeLog, projects: Projects) {
    super(changeLog, projects, 'template checklist');
  }

  create(projectId: string, { name }: NameField, userId = API_USER_ID): TemplateChecklist {
    return this.changeLog.add(this.listForChange(projectId), (id, time) => ({
      id,
      project_id: projectId,
      name,
      creator_user_id: userId,
      last_editor_user_id: userId,
      template_check_items: [],
      ...newlyMade(time),
    }));
  }

  update(
    projectId: string,
    id: string,
    fields: Partial<NameField>,
    userId = API_USER_ID,
  ): TemplateChecklist {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.edit(list, row, fields, (time) => editedBy(userId, time));
  }

  addItem(
    projectId: string,
    id: string,
    { name }: NameField,
    userId = API_USER_ID,
  ): TemplateChecklist {
    const itemId = this.changeLog.newId();
    return this.#changeItems(projectId, id, userId, (items, time) => [
      ...items,
      { id: itemId, template_checklist_id: id, project_id: projectId, name, ...newlyMade(time) },
    ]);
  }

  updateItem(address: ItemAddress, { name }: NameField, userId?: number): TemplateChecklist {
    return this.#changeItem(address, userId, (item, time) => {
      if (item.deleted_at !== null) {
        throw new ServiceError(409, 'deleted', `the item with id ${item.id} is deleted`);
      }
      return item.name === name ? item : { ...item, name, device_updated_at: time };
    });
  }

  removeItem(address: ItemAddress, userId?: number): TemplateChecklist {
    return this.#changeItem(address, userId, (item, time) =>
      item.deleted_at === null ? { ...item, deleted_at: time } : item,
    );
  }

  restoreItem(address: ItemAddress, userId?: number): TemplateChecklist {
    return this.#changeItem(address, userId, (item) =>
      item.deleted_at === null ? item : { ...item, deleted_at: null },
    );
  }

  /** @param change returns the new item, or the same one to keep its version. */
  #changeItem(
    { projectId, checklistId, itemId }: ItemAddress,
    userId: number | undefined,
    change: (item: TemplateCheckItem, time: string) => TemplateCheckItem,
  ): TemplateChecklist {
    const { row } = this.alive(projectId, checklistId);
    const item = row.template_check_items.find(({ id }) => id === itemId);
    if (!item) throw new ServiceError(404, 'not_found', `there is no item with id ${itemId}`);
    if (change(item, '') === item) return row;
    return this.#changeItems(projectId, checklistId, userId, (items, time) =>
      items.map((each) => (each === item ? { ...change(item, time), updated_at: time } : each)),
    );
  }

  #changeItems(
    projectId: string,
    id: string,
    userId = API_USER_ID,
    change: (items: readonly TemplateCheckItem[], time: string) => TemplateCheckItem[],
  ): TemplateChecklist {
    const { list, row } = this.alive(projectId, id);
    return this.changeLog.revise(list, row, (time) => ({
      template_check_items: change(row.template_check_items, time),
      ...editedBy(userId, time),
    }));
  }
}

function newlyMade(time: string) {
  return {
    created_at: time,
    updated_at: time,
    deleted_at: null,
    device_created_at: time,
    device_updated_at: time,
    resolved_conflict: false,
  };
}

function editedBy(userId: number, time: string): Partial<TemplateChecklist> {
  return { last_editor_user_id: userId, device_updated_at: time };
}
