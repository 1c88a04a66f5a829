import { ServiceError } from '../service-error.ts';
import type { TemplateCheckItem, TemplateChecklist } from './entities.ts';
import { ProjectLists } from './projects.ts';

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
  create(projectId: string, { name }: NameField, userId = API_USER_ID): TemplateChecklist {
    return this.open(projectId).add((id, time) => ({
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
    return this.open(projectId).edit(id, fields, (_, time) => editedBy(userId, time));
  }

  addItem(
    projectId: string,
    id: string,
    { name }: NameField,
    userId = API_USER_ID,
  ): TemplateChecklist {
    const itemId = this.changeLog.newId();
    const address = { id: itemId, template_checklist_id: id, project_id: projectId };
    return this.open(projectId).revise(id, ({ template_check_items: items }, time) => ({
      template_check_items: [...items, { ...address, name, ...newlyMade(time) }],
      ...editedBy(userId, time),
    }));
  }

  /** @param change may delete the item, or restore it. */
  updateItem(
    { projectId, checklistId, itemId }: ItemAddress,
    change: (time: string) => Partial<TemplateCheckItem>,
    userId = API_USER_ID,
  ): TemplateChecklist {
    return this.open(projectId).revise(checklistId, ({ template_check_items: items }, time) => {
      if (!items.some(({ id }) => id === itemId)) {
        throw new ServiceError(404, `there is no item with id ${itemId}`);
      }
      const template_check_items = items.map((item) =>
        item.id === itemId ? { ...item, ...change(time), updated_at: time } : item,
      );
      return { template_check_items, ...editedBy(userId, time) };
    });
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
